/**
 * Tests which messages of the frame with card fields the page accepts (decision 78). The frame itself is tested in Chromium
 * (`tests/e2e/orders-wizard`).
 */
import { afterEach, expect, it } from 'vitest'
import type { CardFields } from '#features/orders/payment/card-fields.ts'
import { openSandboxCardFields } from '#features/orders/payment/sandbox-card-fields.ts'

afterEach(() => document.body.replaceChildren())

/** Opens the frame in the page. The frame stays empty, and `send` simulates its script. */
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

/** Returns true if the promise is already settled. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  return (await Promise.race([promise, new Promise((resolve) => setTimeout(() => resolve(pending)))])) !== pending
}

async function requestToken(fields: CardFields, { requests }: ReturnType<typeof openFrame>) {
  const token = fields.createToken()
  await expect.poll(() => requests.at(-1)?.kind).toBe('create')
  return { token, request: requests.at(-1)?.request ?? 0 }
}

it('The card fields open in a sandboxed frame for this page, and are removed on close (fault 36M81f)', async () => {
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

it('The card fields ignore messages of other windows, origins, frames and requests (fault 36M81f)', async () => {
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

it('The card fields return the same token until the card is changed or refused (fault 36M81f)', async () => {
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

it('The card fields fail to open if the security policy blocks the frame (fault 36M81f)', async () => {
  const testFrame = openFrame()
  const violation = Object.assign(new Event('securitypolicyviolation'), { effectiveDirective: 'frame-src' })
  document.dispatchEvent(violation)
  await expect(testFrame.fieldsPromise).rejects.toThrow('did not open')
  expect(testFrame.frame.isConnected).toBe(false)
})

it('The card fields forget the token when the frame loads again, because the fields are then empty (fault 36M81h)', async () => {
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
