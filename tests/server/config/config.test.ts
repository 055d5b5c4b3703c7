import { describe, expect, test } from 'vitest'
import { isLoopback, readConfig } from '#server/config/config.ts'

const loopbackAddresses = [
  '127.0.0.1',
  '127.8.9.10',
  '::1',
  '[::1]',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  'localhost',
]
const loopbackNames = ['LocalHost', 'localhost.', 'portal.localhost']
const otherHosts = ['0.0.0.0', '::', '[::]', '10.0.0.1', '::ffff:10.0.0.1', '2001:db8::1', 'portal.example.com']
const similarNames = ['127.0.0.1.example.com', '127.example.com', 'localhost.example.com', 'notlocalhost', '']

describe('isLoopback', () => {
  test.each([...loopbackAddresses, ...loopbackNames])('returns true for %s', (host) =>
    expect(isLoopback(host)).toBe(true),
  )
  test.each([...otherHosts, ...similarNames])('returns false for "%s"', (host) => expect(isLoopback(host)).toBe(false))
})

describe('the DEMO setting', () => {
  test.each([
    {},
    { HOST: 'localhost' },
    { HOST: '::1', PUBLIC_URL: 'http://[::1]:8080' },
    { HOST: '127.0.0.2', PUBLIC_URL: 'http://portal.localhost:8080/' },
    { PUBLIC_URL: 'https://127.0.0.1' },
  ])('is on by default if only this machine is served: %j', (env) => expect(readConfig(env).demo).toBe(true))

  test.each([
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { HOST: 'portal.example.com' },
    { PUBLIC_URL: 'https://portal.example.com' },
    { PUBLIC_URL: 'http://127.0.0.1.example.com' },
    { PUBLIC_URL: 'http://0.0.0.0:8080' },
    { HOST: '127.0.0.1', PUBLIC_URL: 'http://192.168.1.20:8080' },
    { TRUST_PROXY: '1' },
  ])('is off by default if other machines are served, and DEMO=1 is rejected: %j', (env) => {
    expect(readConfig(env).demo).toBe(false)
    expect(readConfig({ ...env, DEMO: '0' }).demo).toBe(false)
    expect(() => readConfig({ ...env, DEMO: '1' })).toThrow(/^DEMO=1 uses publicly known passwords, but /)
  })

  test('is off by default on PostgreSQL', () => {
    const env = { DATABASE_URL: 'postgres://login@127.0.0.1/portal' }
    expect([readConfig(env).demo, readConfig({ ...env, DEMO: '1' }).demo]).toEqual([false, true])
  })
})

describe('the PUBLIC_URL setting', () => {
  test.each([
    ['https://portal.example.com', 'https://portal.example.com'],
    ['https://PORTAL.example.com:443/', 'https://portal.example.com'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('accepts %s', (text, publicUrl) => expect(readConfig({ PUBLIC_URL: text }).publicUrl).toBe(publicUrl))

  test.each([
    'https://portal.example.com/portal',
    'https://portal.example.com//',
    'https://portal.example.com\\portal',
    'https://portal.example.com/?lang=en',
    'https://portal.example.com?',
    'https://portal.example.com#',
    'https://portal.example.com/#top',
    'https://admin@portal.example.com',
    'https://admin:secret@portal.example.com',
    'https://:secret@portal.example.com',
  ])('refuses %s with one sentence that says what to set', (text) => {
    const read = () => readConfig({ PUBLIC_URL: text })
    expect(read).toThrow(
      /^PUBLIC_URL must have no path, [^\n]*set it to an address like https:\/\/portal\.example\.com\.$/,
    )
    expect(read).not.toThrow(/secret/)
  })
})
