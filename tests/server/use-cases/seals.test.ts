/** Secrets in the database open for what they are of, under the installation's key, and for nothing else (S-35). */
import { describe, expect, it } from 'vitest'
import { seal, unseal } from '#server/use-cases/seals.ts'

const config = { tokenKey: Buffer.alloc(32, 1) }
const of = { purpose: 'passwords of services', of: 'password of service 7' }

describe('a seal', () => {
  it('opens for what it is of, and differs each time', () => {
    const [one, other] = [seal(config, of, 'secret 秘密'), seal(config, of, 'secret 秘密')]
    expect(one).not.toBe(other)
    expect([unseal(config, of, one), unseal(config, of, other)]).toEqual(['secret 秘密', 'secret 秘密'])
  })

  it.each([
    ['in another’s row', config, { ...of, of: 'password of service 8' }],
    ['for another purpose', config, { ...of, purpose: 'secrets of second factors' }],
    ['under another key', { tokenKey: Buffer.alloc(32, 2) }, of],
  ])('does not open %s', (_, keyed, what) => {
    expect(unseal(keyed, what, seal(config, of, 'secret'))).toBeNull()
  })

  it('does not open when a bit is turned, or it is cut, or it is none', () => {
    const bytes = Buffer.from(seal(config, of, 'secret'), 'base64url')
    for (let at = 0; at < bytes.length; at++) {
      const turned = Buffer.from(bytes)
      turned[at] = (turned[at] ?? 0) ^ 1
      expect(unseal(config, of, turned.toString('base64url'))).toBeNull()
    }
    for (const text of ['', 'x', bytes.subarray(0, 20).toString('base64url')])
      expect(unseal(config, of, text)).toBeNull()
  })
})
