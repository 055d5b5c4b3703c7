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
])('isCrossSite for %j returns %s (S-55)', (headers, expected) => {
  expect(isCrossSite(headers, url)).toBe(expected)
})

test('canOpenSocket rejects a page of the same host without TLS (S-59)', () => {
  const host = 'portal.example.com'
  expect(canOpenSocket({ origin: `https://${host}`, host }, url)).toBe(true)
  expect(canOpenSocket({ origin: `http://${host}`, host }, url)).toBe(false)
})

test('canOpenSocket accepts a program without an Origin, and rejects a browser with a hidden Origin (fault 37r)', () => {
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
])('isOurHost for %s returns %s', (host, expected) => {
  expect(isOurHost(host, url)).toBe(expected)
})
