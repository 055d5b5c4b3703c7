/** Tests that sealed secrets in the database can be opened only in their context, with the key of the installation (S-35). */
import { describe, expect, it } from 'vitest'
import { seal, unseal } from '#server/use-cases/seals.ts'

const config = { tokenKey: Buffer.alloc(32, 1) }
const sealContext = { purpose: 'passwords of services', owner: 'password of service 7' }

describe('a seal', () => {
  it('can be opened with its context, and differs each time', () => {
    const [firstSeal, secondSeal] = [seal(config, sealContext, 'secret 秘密'), seal(config, sealContext, 'secret 秘密')]
    expect(firstSeal).not.toBe(secondSeal)
    expect([unseal(config, sealContext, firstSeal), unseal(config, sealContext, secondSeal)]).toEqual([
      'secret 秘密',
      'secret 秘密',
    ])
  })

  it.each([
    ['in the row of another owner', config, { ...sealContext, owner: 'password of service 8' }],
    ['for another purpose', config, { ...sealContext, purpose: 'secrets of second factors' }],
    ['under another key', { tokenKey: Buffer.alloc(32, 2) }, sealContext],
  ])('cannot be opened %s', (_, keyedConfig, otherContext) => {
    expect(unseal(keyedConfig, otherContext, seal(config, sealContext, 'secret'))).toBeNull()
  })

  it('cannot be opened if it is changed, truncated or not a seal', () => {
    const bytes = Buffer.from(seal(config, sealContext, 'secret'), 'base64url')
    for (let index = 0; index < bytes.length; index++) {
      const turnedBytes = Buffer.from(bytes)
      turnedBytes[index] = (turnedBytes[index] ?? 0) ^ 1
      expect(unseal(config, sealContext, turnedBytes.toString('base64url'))).toBeNull()
    }
    for (const text of ['', 'x', bytes.subarray(0, 20).toString('base64url')])
      expect(unseal(config, sealContext, text)).toBeNull()
  })
})
