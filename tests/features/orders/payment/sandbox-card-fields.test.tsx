/** What the page believes of the frame with card fields (decision 78). The frame itself runs in Chromium (`tests/e2e/orders-wizard`). */
import { afterEach, expect, it } from 'vitest'
import type { CardFields } from '#features/orders/payment/card-fields.ts'
import { openSandboxCardFields } from '#features/orders/payment/sandbox-card-fields.ts'

afterEach(() => document.body.replaceChildren())

/** The frame as it was put into the page. Nothing is loaded into it here: `send` stands for its script. */
function openFrame() {
  const opening = openSandboxCardFields(document.body, 'http://127.0.0.1:9/card-fields', 'Card')
  const frame = document.querySelector('iframe')
  if (!frame) throw new Error('no frame')
  const query = new URL(frame.src).searchParams
  const requests: { kind: string; request?: number }[] = []
  const own = { postMessage: (message: { kind: string; request?: number }) => void requests.push(message) } as Window
  Object.defineProperty(frame, 'contentWindow', { value: own })
  const send = (message: object, { origin = 'null', source = own } = {}) =>
    dispatchEvent(new MessageEvent('message', { data: { cardFields: query.get('nonce'), ...message }, origin, source }))
  return { opening, frame, query, requests, send }
}

/** Whether it is settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  return (await Promise.race([promise, new Promise((resolve) => setTimeout(() => resolve(pending)))])) !== pending
}

async function askForToken(fields: CardFields, { requests }: ReturnType<typeof openFrame>) {
  const token = fields.createToken()
  await expect.poll(() => requests.at(-1)?.kind).toBe('create')
  return { token, request: requests.at(-1)?.request ?? 0 }
}

it('fault 36M81f is opened for this page, in a sandbox without the rights of any origin, and closed without a trace', async () => {
  const panel = openFrame()
  expect(panel.frame.getAttribute('sandbox')).toBe('allow-scripts')
  expect(panel.query.get('shop')).toBe(location.origin)
  panel.send({ kind: 'ready' })
  const fields = await panel.opening
  panel.send({ kind: 'height', height: 210 })
  expect(panel.frame.style.blockSize).toBe('210px')
  fields.close()
  panel.send({ kind: 'height', height: 300 })
  expect([panel.frame.isConnected, panel.frame.style.blockSize]).toEqual([false, '210px'])
})

it('fault 36M81f hears no other window, no other origin, no other number and no other request', async () => {
  const panel = openFrame()
  const strangers: [object, Parameters<typeof panel.send>[1]][] = [
    [{}, { source: window }],
    [{}, { origin: 'http://127.0.0.1:9' }],
    [{}, { origin: location.origin }],
    [{ cardFields: 'another' }, {}],
    [{ cardFields: undefined }, {}],
  ]
  for (const [fields, from] of strangers) panel.send({ kind: 'ready', ...fields }, from)
  expect(await isSettled(panel.opening)).toBe(false)
  panel.send({ kind: 'ready' })
  const fields = await panel.opening
  const { token, request } = await askForToken(fields, panel)
  for (const [fields, from] of strangers) panel.send({ kind: 'token', token: 'tok_evil', request, ...fields }, from)
  panel.send({ kind: 'token', token: 'tok_evil', request: request + 1 })
  expect(await isSettled(token)).toBe(false)
  panel.send({ kind: 'token', token: 'tok_good', request })
  expect(await token).toEqual({ kind: 'token', token: 'tok_good' })
})

it('fault 36M81f gives the same token until the card is changed or refused', async () => {
  const panel = openFrame()
  panel.send({ kind: 'ready' })
  const fields = await panel.opening
  const give = async (token: string) => {
    const asked = await askForToken(fields, panel)
    panel.send({ kind: 'token', token, request: asked.request })
    return await asked.token
  }
  expect(await give('tok_1')).toMatchObject({ token: 'tok_1' })
  expect(await fields.createToken()).toMatchObject({ token: 'tok_1' })
  panel.send({ kind: 'changed' })
  expect(await give('tok_2')).toMatchObject({ token: 'tok_2' })
  fields.dropToken()
  expect(await give('tok_3')).toMatchObject({ token: 'tok_3' })
})

it('fault 36M81f is given up where the page’s policy does not let the frame in', async () => {
  const panel = openFrame()
  const violation = Object.assign(new Event('securitypolicyviolation'), { effectiveDirective: 'frame-src' })
  document.dispatchEvent(violation)
  await expect(panel.opening).rejects.toThrow('did not open')
  expect(panel.frame.isConnected).toBe(false)
})

it('fault 36M81h forgets the card of a frame that loads again, for its fields are empty', async () => {
  const panel = openFrame()
  panel.send({ kind: 'ready' })
  const fields = await panel.opening
  const first = await askForToken(fields, panel)
  panel.send({ kind: 'token', token: 'tok_before', request: first.request })
  expect(await first.token).toMatchObject({ token: 'tok_before' })
  panel.send({ kind: 'ready' })
  const second = await askForToken(fields, panel)
  expect(second.request).not.toBe(first.request)
  panel.send({ kind: 'invalid', request: second.request })
  expect(await second.token).toMatchObject({ kind: 'invalid' })
})
