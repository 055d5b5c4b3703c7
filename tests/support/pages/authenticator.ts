import type { Page } from 'playwright-core'

/**
 * Adds a virtual authenticator to the page's device, like a fingerprint reader that recognises its user at once. It can create a passkey
 * and log in with it until the page is closed.
 */
export async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}
