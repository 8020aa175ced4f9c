// Chromium for tests that look at pages as a person does.
import { ensureChromium } from "./programs.ts";

/** The program to give to playwright-core as `executablePath`. Installed when the machine has none. */
export function chromiumPath(): Promise<string> {
  return ensureChromium();
}

/** Without a sandbox, which root cannot have, and without everything that talks to the network by itself. */
export const chromiumFlags: readonly string[] = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];
