/**
 * Makes an element look like another one while it keeps every node that is the same already. So a text that grows keeps
 * the reader's selection, the place in a long code block, and the focus.
 * @param {Element} shown
 * @param {Element} wanted
 */
export function patch(shown, wanted) {
  for (const { name, value } of wanted.attributes) {
    if (shown.getAttribute(name) !== value) shown.setAttribute(name, value);
  }
  for (const { name } of [...shown.attributes]) if (!wanted.hasAttribute(name)) shown.removeAttribute(name);
  const old = [...shown.childNodes];
  const fresh = [...wanted.childNodes];
  fresh.forEach((node, at) => {
    const before = old[at];
    if (before === undefined) shown.append(node);
    else if (!before.isEqualNode(node)) replace(before, node);
  });
  for (const extra of old.slice(fresh.length)) extra.remove();
}

/**
 * @param {ChildNode} before
 * @param {ChildNode} after
 */
function replace(before, after) {
  if (before instanceof Element && after instanceof Element && before.tagName === after.tagName)
    patch(before, after);
  else if (before instanceof Text && after instanceof Text) before.data = after.data;
  else before.replaceWith(after);
}
