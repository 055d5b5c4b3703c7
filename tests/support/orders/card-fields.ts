/** Enters cards: types them into the panel's frame, or sends them to the sandbox as the frame does. */
import type { Locator, Page } from 'playwright-core'
import type { SandboxServer } from '#demo/payment-sandbox/sandbox-server.ts'

export const getCardField = (page: Page, name: 'number' | 'expiry' | 'cvc'): Locator =>
  page.frameLocator('.payment-frame').locator(`#${name}`)

/** Returns December of the year after next as `MMYY`. */
export const validExpiry = (): string => `12${String(new Date().getFullYear() + 2).slice(2)}`

/** Types a card with this number. The fields must be empty. */
export async function typeCard(page: Page, number: string): Promise<void> {
  for (const [name, text] of [
    ['number', number],
    ['expiry', validExpiry()],
    ['cvc', '123'],
  ] as const) {
    await getCardField(page, name).click()
    await page.keyboard.type(text, { delay: 20 })
  }
}

const goodCard = { number: '4242424242424242', exp_month: '12', exp_year: '2040', cvc: '123' }

/** Sends a card to the sandbox and returns the response. By default it is a valid card. */
export async function sendCard(
  { gateways, keys }: Pick<SandboxServer, 'gateways' | 'keys'>,
  card: Partial<typeof goodCard> = {},
  key: string = keys.stripe.publishableKey,
): Promise<{ status: number; headers: Headers; body: { id?: string; error?: Record<string, string> } }> {
  const fields = Object.entries({ ...goodCard, ...card }).map(([name, value]) => [`card[${name}]`, value])
  const body = new URLSearchParams([['key', key], ...fields])
  const response = await fetch(`${gateways.stripe?.apiUrl}/v1/tokens`, { method: 'POST', body })
  return { status: response.status, headers: response.headers, body: (await response.json()) as { id?: string } }
}

/** Returns a new token of a card. The frame creates one for each payment. */
export async function createToken(sandbox: Pick<SandboxServer, 'gateways' | 'keys'>, number?: string): Promise<string> {
  const { body } = await sendCard(sandbox, number === undefined ? {} : { number })
  if (body.id === undefined) throw new Error(`no token: ${JSON.stringify(body)}`)
  return body.id
}
