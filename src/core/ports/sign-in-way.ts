/** A platform's own sign-in (OAuth), where our app is registered for it: sends a browser there, and is told who comes back. */

import type { Platform } from "../thread.ts";

/** What binds the way there to the way back. Each is random, 64 hexadecimal digits, and used once. */
export interface Going {
  /** Comes back with the browser. */
  readonly state: string;
  /** Comes back inside of what the platform signs, where it signs. */
  readonly nonce: string;
  /** Is shown to the platform only when the code is given back; before, its hash (PKCE), where the platform takes one. */
  readonly verifier: string;
}

export interface ProvedSpace {
  readonly space: string;
  /** As people call it. */
  readonly name: string;
}

export type Proved =
  | {
      readonly kind: "proved";
      readonly person: string;
      /** As shown to others. */
      readonly name: string;
      /**
       * Where the bot is and the person says to be: what they are there is asked of the platform with the bot's own token. The likeliest
       * first.
       */
      readonly spaces: readonly ProvedSpace[];
    }
  /** The code is none, is too old or was used: it has to be begun again. */
  | { readonly kind: "spent" }
  /** The platform does not take what the settings say of the app. `code`: its word for it. */
  | { readonly kind: "misconfigured"; readonly code: string }
  /** Nobody knows: it may be tried again later. `why`: without a secret, for the log. */
  | { readonly kind: "away"; readonly why: string };

export interface SignInWay {
  readonly platform: Platform;
  /** As people call the platform. */
  readonly name: string;
  /** Where the browser goes to. */
  addressOf(going: Going): string;
  /**
   * Asks the platform itself whose code it is. The token that it gives for that is kept nowhere. Never rejects for what the platform does.
   */
  whoHas(code: string, going: Going): Promise<Proved>;
}
