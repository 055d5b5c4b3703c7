/** What the page believes of the frame with card fields (decision 78). The frame itself runs in Chromium (`tests/e2e/orders-wizard`). */
import { afterEach, expect, it } from 'vitest'
import type { CardFields } from '#features/orders/payment/card-fields.ts'
import { openSandboxCardFields } from '#features/orders/payment/sandbox-card-fields.ts'

afterEach(() => document.body.replaceChildren())

/** The frame as it was put into the page. Nothing is loaded into it here: `send` stands for its script. */
function openFrame() {
  const fieldsPromise = openSandboxCardFields(document.body, 'http://127.0.0.1:9/card-fields', 'Card')
  const frame = document.querySelector('iframe')
  if (!frame) throw new Error('no frame')
  const query = new URL(frame.src).searchParams
  const requests: { kind: string; request?: number }[] = []
  const frameWindow = {
    postMessage: (message: { kind: string; request?: number }) => void requests.push(message),
  } as Window
  Object.defineProperty(frame, 'contentWindow', { value: frameWindow })
  const send = (message: object, { origin = 'null', source = frameWindow } = {}) =>
    dispatchEvent(new MessageEvent('message', { data: { cardFields: query.get('nonce'), ...message }, origin, source }))
  return { fieldsPromise, frame, query, requests, send }
}

/** Whether it is settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  return (await Promise.race([promise, new Promise((resolve) => setTimeout(() => resolve(pending)))])) !== pending
}

async function requestToken(fields: CardFields, { requests }: ReturnType<typeof openFrame>) {
  const token = fields.createToken()
  await expect.poll(() => requests.at(-1)?.kind).toBe('create')
  return { token, request: requests.at(-1)?.request ?? 0 }
}

it('fault 36M81f is opened for this page, in a sandbox without the rights of any origin, and closed without a trace', async () => {
  const testFrame = openFrame()
  expect(testFrame.frame.getAttribute('sandbox')).toBe('allow-scripts')
  expect(testFrame.query.get('shop')).toBe(location.origin)
  testFrame.send({ kind: 'ready' })
  const fields = await testFrame.fieldsPromise
  testFrame.send({ kind: 'height', height: 210 })
  expect(testFrame.frame.style.blockSize).toBe('210px')
  fields.close()
  testFrame.send({ kind: 'height', height: 300 })
  expect([testFrame.frame.isConnected, testFrame.frame.style.blockSize]).toEqual([false, '210px'])
})

it('fault 36M81f hears no other window, no other origin, no other number and no other request', async () => {
  const testFrame = openFrame()
  const foreignMessages: [object, Parameters<typeof testFrame.send>[1]][] = [
    [{}, { source: window }],
    [{}, { origin: 'http://127.0.0.1:9' }],
    [{}, { origin: location.origin }],
    [{ cardFields: 'another' }, {}],
    [{ cardFields: undefined }, {}],
  ]
  for (const [fields, origin] of foreignMessages) testFrame.send({ kind: 'ready', ...fields }, origin)
  expect(await isSettled(testFrame.fieldsPromise)).toBe(false)
  testFrame.send({ kind: 'ready' })
  const fields = await testFrame.fieldsPromise
  const { token, request } = await requestToken(fields, testFrame)
  for (const [fields, origin] of foreignMessages)
    testFrame.send({ kind: 'token', token: 'tok_evil', request, ...fields }, origin)
  testFrame.send({ kind: 'token', token: 'tok_evil', request: request + 1 })
  expect(await isSettled(token)).toBe(false)
  testFrame.send({ kind: 'token', token: 'tok_good', request })
  expect(await token).toEqual({ kind: 'token', token: 'tok_good' })
})

it('fault 36M81f gives the same token until the card is changed or refused', async () => {
  const testFrame = openFrame()
  testFrame.send({ kind: 'ready' })
  const fields = await testFrame.fieldsPromise
  const provideToken = async (token: string) => {
    const tokenRequest = await requestToken(fields, testFrame)
    testFrame.send({ kind: 'token', token, request: tokenRequest.request })
    return await tokenRequest.token
  }
  expect(await provideToken('tok_1')).toMatchObject({ token: 'tok_1' })
  expect(await fields.createToken()).toMatchObject({ token: 'tok_1' })
  testFrame.send({ kind: 'changed' })
  expect(await provideToken('tok_2')).toMatchObject({ token: 'tok_2' })
  fields.dropToken()
  expect(await provideToken('tok_3')).toMatchObject({ token: 'tok_3' })
})

it('fault 36M81f is given up where the page’s policy does not let the frame in', async () => {
  const testFrame = openFrame()
  const violation = Object.assign(new Event('securitypolicyviolation'), { effectiveDirective: 'frame-src' })
  document.dispatchEvent(violation)
  await expect(testFrame.fieldsPromise).rejects.toThrow('did not open')
  expect(testFrame.frame.isConnected).toBe(false)
})

it('fault 36M81h forgets the card of a frame that loads again, for its fields are empty', async () => {
  const testFrame = openFrame()
  testFrame.send({ kind: 'ready' })
  const fields = await testFrame.fieldsPromise
  const firstRequest = await requestToken(fields, testFrame)
  testFrame.send({ kind: 'token', token: 'tok_before', request: firstRequest.request })
  expect(await firstRequest.token).toMatchObject({ token: 'tok_before' })
  testFrame.send({ kind: 'ready' })
  const secondRequest = await requestToken(fields, testFrame)
  expect(secondRequest.request).not.toBe(firstRequest.request)
  testFrame.send({ kind: 'invalid', request: secondRequest.request })
  expect(await secondRequest.token).toMatchObject({ kind: 'invalid' })
})
