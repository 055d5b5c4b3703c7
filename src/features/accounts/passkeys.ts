/** The browser's own dialog for passkeys. What goes wrong in it comes back as a word, never as an exception. */
import { startAuthentication, startRegistration } from '@simplewebauthn/browser'

/** `refused`: closed by the person, or their time was up. `known`: this device has one for the account. */
type Asked = { kind: 'answered'; answer: string } | { kind: 'refused' } | { kind: 'known' }

/** Not on an address without a name, nor in a browser that has none. */
export const hasPasskeys = (): boolean => typeof PublicKeyCredential === 'function' && isSecureContext

async function asked(open: () => Promise<unknown>): Promise<Asked> {
  try {
    return { kind: 'answered', answer: JSON.stringify(await open()) }
  } catch (error) {
    return { kind: error instanceof Error && error.name === 'InvalidStateError' ? 'known' : 'refused' }
  }
}

/** `options`: as the server answered them. */
export const signWith = (options: object): Promise<Asked> =>
  asked(() => startAuthentication({ optionsJSON: options as never }))

export const makePasskey = (options: object): Promise<Asked> =>
  asked(() => startRegistration({ optionsJSON: options as never }))
