/** The browser's own dialog for passkeys. What goes wrong in it comes back as a word, never as an exception. */
import { startAuthentication, startRegistration } from '@simplewebauthn/browser'

/** `refused`: closed by the person, or their time was up. `known`: this device has one for the account. */
type PasskeyResult = { kind: 'answered'; response: string } | { kind: 'refused' } | { kind: 'known' }

/** Not on an address without a name, nor in a browser that has none. */
export const hasPasskeys = (): boolean => typeof PublicKeyCredential === 'function' && isSecureContext

async function runDialog(openDialog: () => Promise<unknown>): Promise<PasskeyResult> {
  try {
    return { kind: 'answered', response: JSON.stringify(await openDialog()) }
  } catch (error) {
    return { kind: error instanceof Error && error.name === 'InvalidStateError' ? 'known' : 'refused' }
  }
}

/** `options`: as the server answered them. */
export const signWithPasskey = (options: object): Promise<PasskeyResult> =>
  runDialog(() => startAuthentication({ optionsJSON: options as never }))

export const createPasskey = (options: object): Promise<PasskeyResult> =>
  runDialog(() => startRegistration({ optionsJSON: options as never }))
