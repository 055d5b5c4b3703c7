/** Opens the browser's passkey dialogs. A failure is returned as a `kind` and never thrown. */
import { startAuthentication, startRegistration } from '@simplewebauthn/browser'

/** `refused`: the user closed the dialog, or it timed out. `known`: this device already has a passkey. */
type PasskeyResult = { kind: 'answered'; response: string } | { kind: 'refused' } | { kind: 'known' }

/** Returns false in an insecure context and in a browser without WebAuthn. */
export const hasPasskeys = (): boolean => typeof PublicKeyCredential === 'function' && isSecureContext

async function runDialog(openDialog: () => Promise<unknown>): Promise<PasskeyResult> {
  try {
    return { kind: 'answered', response: JSON.stringify(await openDialog()) }
  } catch (error) {
    return { kind: error instanceof Error && error.name === 'InvalidStateError' ? 'known' : 'refused' }
  }
}

export const signWithPasskey = (options: object): Promise<PasskeyResult> =>
  runDialog(() => startAuthentication({ optionsJSON: options as never }))

export const createPasskey = (options: object): Promise<PasskeyResult> =>
  runDialog(() => startRegistration({ optionsJSON: options as never }))
