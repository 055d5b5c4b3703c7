import { describe, expect, it, test } from 'vitest'
import { readDocker, readRefusal, testImage } from '#tests/support/hosting/docker-settings.ts'

describe('SERVICE_IMAGE', () => {
  const digest = `sha256:${'0f'.repeat(32)}`

  test.each([
    'erp',
    'acme/erp',
    'erp:1.4.2',
    'localhost/erp',
    'localhost:5000/a/b/c',
    'ghcr.io/acme/erp_server__x.y-z:Release_1',
    '10.0.0.5:5000/erp',
    '[fd00::5]:5000/erp:1',
    `erp@${digest}`,
    `registry.example.com/erp:1@${digest}`,
  ])('can be %s', (SERVICE_IMAGE) => {
    expect(readDocker({ SERVICE_IMAGE }).image).toBe(SERVICE_IMAGE)
  })

  test.each([
    'ERP',
    'acme/ERP:1',
    'erp:',
    ':1',
    'erp:a b',
    'erp:-1',
    `erp:${'1'.repeat(129)}`,
    'a//b',
    '/erp',
    'erp/',
    'registry.example.com/',
    'a..b/c',
    'a:0/b',
    'a:65536/b',
    'erp; rm -rf /',
    '--privileged',
    `${'a'.repeat(256)}`,
    'é',
    '.erp',
    'a/.b',
  ])('is not %j', (SERVICE_IMAGE) => {
    expect(readRefusal({ SERVICE_IMAGE })).toMatch(/^SERVICE_IMAGE must be the name of an image like registry/)
  })

  test.each([
    'https://registry.example.com/erp',
    'user:hush@registry.example.com/erp',
    'erp@sha256:hush',
    `erp@${digest}@hush`,
  ])('has no login and no protocol, and %j is not printed', (SERVICE_IMAGE) => {
    const message = readRefusal({ SERVICE_IMAGE })
    expect(message).toMatch(/^SERVICE_IMAGE must not contain a protocol or a login/)
    expect(message).not.toContain('hush')
  })

  // The test would run into its time limit if a pattern needed quadratic time.
  it('is checked at once, also if it is long', () => {
    for (const text of ['a-'.repeat(50_000), 'a_'.repeat(50_000), `${'a.'.repeat(50_000)}/b`, ':'.repeat(100_000)])
      expect(readRefusal({ SERVICE_IMAGE: text })).not.toBe('accepted')
  })

  it('may be missing in the demo only', () => {
    expect(readRefusal({ SERVICE_IMAGE: '' })).toMatch(/^HOSTING=docker needs SERVICE_IMAGE/)
    expect(readDocker({ SERVICE_IMAGE: '', DEMO: '1' }).image).toBeNull()
    expect(readDocker({ DEMO: '1' }).image).toBe(testImage)
  })
})

describe('the login of the registry', () => {
  const login = { SERVICE_REGISTRY_USER: 'robot$acme', SERVICE_REGISTRY_PASSWORD: 'hush' }

  test.each([
    [testImage, 'registry.example.com:5000'],
    ['acme/erp:1', 'https://index.docker.io/v1/'],
    ['docker.io/acme/erp', 'https://index.docker.io/v1/'],
    ['localhost/erp', 'localhost'],
    [`ghcr.io/acme/erp@sha256:${'00'.repeat(32)}`, 'ghcr.io'],
  ])('belongs to the registry of %s', (SERVICE_IMAGE, serveraddress) => {
    expect(readDocker({ ...login, SERVICE_IMAGE }).registry).toEqual({
      username: 'robot$acme',
      password: 'hush',
      serveraddress,
    })
  })

  it('is complete, and the password is not printed', () => {
    for (const env of [
      { ...login, SERVICE_REGISTRY_USER: '' },
      { ...login, SERVICE_REGISTRY_PASSWORD: '' },
      { ...login, SERVICE_REGISTRY_PASSWORD: 'hush\nhush' },
      { ...login, SERVICE_REGISTRY_USER: 'a'.repeat(8193) },
    ]) {
      const message = readRefusal(env)
      expect(message).toMatch(/^SERVICE_REGISTRY_USER and SERVICE_REGISTRY_PASSWORD must /)
      expect(message).not.toContain('hush')
    }
    expect(readRefusal({ ...login, SERVICE_IMAGE: '', DEMO: '1' })).toMatch(
      /^SERVICE_REGISTRY_USER has no effect without SERVICE_IMAGE/,
    )
  })
})
