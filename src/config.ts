/** The package root: what `bobbin.config.ts` imports. */
export { defineConfig } from "./adapters/settings/config.ts";
export type { ConfigInput, ConfigLimits, ModelInput } from "./adapters/settings/config.ts";
export type { AccessInput } from "./adapters/settings/access-config.ts";
