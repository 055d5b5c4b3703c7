import { expect, test } from 'vitest'
import { isCrossSite, isOurHost, canOpenSocket } from '#server/http/cross-site.ts'

const url = 'https://portal.example.com'

test.each([
  [{ origin: 'https://portal.example.com' }, false],
  [{ origin: 'https://node-1.internal', host: 'node-1.internal' }, false],
  [{ origin: 'http://portal.example.com', host: 'portal.example.com' }, true],
  [{ origin: 'https://other.example.com', host: 'portal.example.com' }, true],
  [{ origin: 'null', host: 'portal.example.com' }, true],
  [{ origin: 'http://portal.example.com', 'sec-fetch-site': 'same-site' }, true],
  [{}, false],
])('a change from %j is of another site: %s (S-55)', (headers, expected) => {
  expect(isCrossSite(headers, url)).toBe(expected)
})

test('a page of the same name without TLS is none of ours (S-59)', () => {
  const host = 'portal.example.com'
  expect(canOpenSocket({ origin: `https://${host}`, host }, url)).toBe(true)
  expect(canOpenSocket({ origin: `http://${host}`, host }, url)).toBe(false)
})

test('fault 37r a program without an Origin may open a websocket; a browser that hides it may not', () => {
  const host = 'portal.example.com'
  expect(canOpenSocket({ host }, url)).toBe(true)
  expect(canOpenSocket({ host, cookie: 'portal-access=x' }, url)).toBe(true)
  expect(canOpenSocket({ host, 'sec-fetch-site': 'cross-site' }, url)).toBe(false)
  expect(canOpenSocket({ host, origin: 'null' }, url)).toBe(false)
})

test.each([
  ['portal.example.com', true],
  ['PORTAL.example.com:443', true],
  ['10.0.0.7:8080', true],
  ['localhost:8080', true],
  [undefined, true],
  ['portal.example.com.attacker.example', false],
  ['attacker.example', false],
  ['', false],
  ['a b', false],
])('the host %s means us: %s', (host, expected) => {
  expect(isOurHost(host, url)).toBe(expected)
})
