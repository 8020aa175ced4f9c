// Who sees what is of all spaces.
import { expect, test } from "vitest";
import { readSettings } from "../../src/adapters/settings/settings.ts";
import { createAccess } from "../../src/core/access/access.ts";
import type { Author } from "../../src/core/inbound.ts";
import type { Person } from "../../src/core/ports/sign-ins.ts";
import { operatorsIn } from "../../src/parts/admin.ts";

const slack = (space: string, person: string): Person => ({ platform: "slack", space, person, name: person });

test("whom ADMIN_USERS names runs the bot; whom the access rules name is an admin of the space, and no more", async () => {
  const read = await readSettings({ ADMIN_USERS: "slack:T1:UROOT,slack:*:UANY" }, { folder: "/nowhere" });
  if (read.kind === "wrong") return expect.unreachable();
  const { config } = read.settings;
  const admins = { ...config.access.admins, users: [...config.access.admins.users, "slack:T1:UBOSS"] };
  const access = { ...config.access, admins };
  const settings = { ...read.settings, config: { ...config, access } };

  const isOperator = operatorsIn(settings);
  expect([slack("T1", "UROOT"), slack("T7", "UANY")].map(isOperator)).toEqual([true, true]);
  expect([slack("T1", "UBOSS"), slack("T2", "UROOT")].map(isOperator)).toEqual([false, false]);
  const web = { platform: "web", space: "local", person: "owner", name: "Owner" } as const;
  expect(isOperator(web)).toBe(true);

  const { roleOf } = createAccess(access);
  const member = (id: string): Author => ({
    id,
    name: id,
    kind: "member",
    roles: [],
    isPlatformAdmin: false,
  });
  for (const id of ["UROOT", "UANY", "UBOSS"])
    expect(roleOf(member(id), { platform: "slack", space: "T1" })).toBe("admin");
});
