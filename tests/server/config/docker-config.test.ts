import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, test } from 'vitest'
import type { DockerSettings } from '#server/config/docker-config.ts'
import { readDocker, readHosting, readRefusal, testImage } from '#tests/support/hosting/docker-settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'docker-config-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const pem = (kind: string) => `-----BEGIN ${kind}-----\nMIIB\n-----END ${kind}-----\n`
function writeCertificates(name: string, files: Record<string, string> = {}): string {
  const path = mkdtempSync(join(folder, name))
  const allFiles = { 'ca.pem': pem('CERTIFICATE'), 'cert.pem': pem('CERTIFICATE'), 'key.pem': pem('RSA PRIVATE KEY') }
  for (const [file, text] of Object.entries({ ...allFiles, ...files })) writeFileSync(join(path, file), text)
  return path
}

it('needs only an image', () => {
  expect(readDocker()).toEqual({
    connection: { socketPath: '/var/run/docker.sock' },
    address: 'unix:///var/run/docker.sock',
    prefix: 'portal',
    image: testImage,
    registry: null,
    databaseUrl: null,
    gateway: { kind: 'own' },
    memorySizes: null,
    nodeAddress: null,
    healthSeconds: 10,
  })
  const names = ['DOCKER_HOST', 'DOCKER_PREFIX', 'SERVICE_REGISTRY_USER', 'SERVICE_DATABASE_URL', 'GATEWAY']
  const moreNames = ['TRAEFIK_NETWORK', 'SERVICE_MEMORY_SIZES', 'SERVICE_NODE_ADDRESS', 'SERVICE_HEALTH_SECONDS']
  expect(readDocker(Object.fromEntries([...names, ...moreNames].map((name) => [name, ''])))).toEqual(readDocker())
})

it('reads the settings of docker for HOSTING=docker only', () => {
  const env = { DOCKER_HOST: 'ssh://root@host', SERVICE_IMAGE: '', DOCKER_PREFIX: 'A B', GATEWAY: 'x' }
  for (const HOSTING of ['local', 'elsewhere', 'off'])
    expect(readHosting({ ...env, HOSTING })).toMatchObject({ docker: null, unusedNames: [] })
})

describe('DOCKER_HOST', () => {
  test.each<[string, DockerSettings['connection'], string?]>([
    ['unix:///run/user/1000/docker.sock', { socketPath: '/run/user/1000/docker.sock' }],
    ['tcp://10.0.0.5', { protocol: 'http', host: '10.0.0.5', port: 2375 }, 'tcp://10.0.0.5:2375'],
    ['tcp://proxy:2000', { protocol: 'http', host: 'proxy', port: 2000 }],
    ['tcp://[fd00::5]:2375/', { protocol: 'http', host: 'fd00::5', port: 2375 }, 'tcp://[fd00::5]:2375'],
    ['http://127.0.0.1:80', { protocol: 'http', host: '127.0.0.1', port: 80 }],
    ['https://docker.example.com:443', { protocol: 'https', host: 'docker.example.com', port: 443 }],
    [
      'https://docker.example.com',
      { protocol: 'https', host: 'docker.example.com', port: 2376 },
      'https://docker.example.com:2376',
    ],
  ])('can be %s', (DOCKER_HOST, connection, address = DOCKER_HOST) => {
    expect(readDocker({ DOCKER_HOST })).toMatchObject({ connection, address })
  })

  test.each(['unix://', 'unix://docker.sock', 'unix:///a\0b', `unix:///${'a'.repeat(107)}`, 'unix:///\n'])(
    'names a socket by its path, not %j',
    (DOCKER_HOST) => {
      expect(readRefusal({ DOCKER_HOST })).toMatch(/^DOCKER_HOST must name a socket by an absolute path/)
    },
  )

  test.each([
    '/var/run/docker.sock',
    'docker',
    'TCP://a',
    'fd://',
    'npipe:////./pipe/docker_engine',
    '://',
    'tcp:/a',
    ' ',
  ])('must have a protocol, not %j', (DOCKER_HOST) => {
    expect(readRefusal({ DOCKER_HOST })).toMatch(/^DOCKER_HOST must begin with unix:\/\/, tcp:\/\/, http:\/\//)
  })

  test.each([
    'tcp://',
    'tcp://:2375',
    'tcp://a:0',
    'tcp://a:65536',
    'tcp://a:port',
    'tcp://a/path',
    'tcp://a?b',
    'tcp://user:hush@a',
    'http://hush@a:2375',
    'tcp://10.0.0',
    'tcp://a b',
    'tcp://fd00::5',
    'tcp://[a]',
    'tcp://[fd00::5',
    'https://a,b',
    'tcp://ä.example',
  ])('is a host and a port, not %j', (DOCKER_HOST) => {
    const message = readRefusal({ DOCKER_HOST })
    expect(message).toMatch(/^DOCKER_HOST must contain only a host and a port/)
    expect(message).not.toContain('hush')
  })

  it('cannot use ssh, and says what to do instead', () => {
    expect(readRefusal({ DOCKER_HOST: 'ssh://root@10.0.0.5' })).toMatch(
      /^DOCKER_HOST must not begin with ssh:\/\/.*forward the socket/,
    )
  })
})

describe('TLS of the daemon', () => {
  const tls = { DOCKER_HOST: 'tcp://10.0.0.5', DOCKER_TLS_VERIFY: '1' }

  it('uses the certificates of DOCKER_CERT_PATH', () => {
    const DOCKER_CERT_PATH = writeCertificates('good')
    const connection = {
      protocol: 'https',
      host: '10.0.0.5',
      port: 2376,
      ca: pem('CERTIFICATE'),
      cert: pem('CERTIFICATE'),
      key: pem('RSA PRIVATE KEY'),
    }
    expect(readDocker({ ...tls, DOCKER_CERT_PATH }).connection).toEqual(connection)
    expect(readDocker({ DOCKER_HOST: 'https://10.0.0.5', DOCKER_CERT_PATH }).connection).toEqual(connection)
  })

  it('names a file that is missing, not readable or no certificate', () => {
    const path = writeCertificates('missing')
    rmSync(join(path, 'cert.pem'))
    expect(readRefusal({ ...tls, DOCKER_CERT_PATH: path })).toMatch(
      /^The portal cannot read cert\.pem in DOCKER_CERT_PATH \(ENOENT\)/,
    )
    expect(readRefusal({ ...tls, DOCKER_CERT_PATH: join(path, 'none') })).toMatch(/cannot read ca\.pem .*\(ENOENT\)/)
    expect(readRefusal({ ...tls, DOCKER_CERT_PATH: join(path, 'ca.pem') })).toMatch(/cannot read ca\.pem .*\(ENOTDIR\)/)
    expect(
      readRefusal({ ...tls, DOCKER_CERT_PATH: writeCertificates('swapped', { 'key.pem': pem('CERTIFICATE') }) }),
    ).toBe('The file key.pem in DOCKER_CERT_PATH is not in the format PEM.')
    if (process.getuid?.() !== 0) {
      const closedPath = writeCertificates('closed')
      chmodSync(join(closedPath, 'key.pem'), 0)
      expect(readRefusal({ ...tls, DOCKER_CERT_PATH: closedPath })).toMatch(/cannot read key\.pem .*\(EACCES\)/)
    }
  })

  it('is either on or off', () => {
    const DOCKER_CERT_PATH = writeCertificates('unused')
    expect(readRefusal({ DOCKER_HOST: 'tcp://10.0.0.5', DOCKER_CERT_PATH })).toMatch(
      /^DOCKER_CERT_PATH has no effect without TLS/,
    )
    expect(readRefusal({ DOCKER_HOST: 'http://10.0.0.5', DOCKER_TLS_VERIFY: '1' })).toMatch(
      /^DOCKER_TLS_VERIFY=1 contradicts http:/,
    )
    expect(readRefusal({ DOCKER_TLS_VERIFY: '1' })).toMatch(/^DOCKER_TLS_VERIFY has no effect on a Unix socket/)
    expect(readRefusal({ DOCKER_HOST: 'tcp://10.0.0.5', DOCKER_TLS_VERIFY: 'yes' })).toMatch(
      /^DOCKER_TLS_VERIFY must be one of/,
    )
  })
})

test('DOCKER_PREFIX is short and in lower case', () => {
  for (const DOCKER_PREFIX of ['p', 'portal-2', 'a'.repeat(20)])
    expect(readDocker({ DOCKER_PREFIX }).prefix).toBe(DOCKER_PREFIX)
  for (const DOCKER_PREFIX of ['Portal', '2portal', '-a', 'a_b', 'a.b', 'a/b', 'a'.repeat(21), 'ä', '$(id)'])
    expect(readRefusal({ DOCKER_PREFIX })).toMatch(/^DOCKER_PREFIX must be at most 20 lower-case letters/)
})

describe('SERVICE_DATABASE_URL', () => {
  it('is an address that containers reach', () => {
    for (const SERVICE_DATABASE_URL of [
      'postgres://admin:hush@10.0.0.7:5432/postgres',
      'postgres://admin:hush@db1,db2/postgres?sslmode=require',
    ])
      expect(readDocker({ SERVICE_DATABASE_URL }).databaseUrl).toBe(SERVICE_DATABASE_URL)
  })

  test.each([
    ['postgres://admin:hush@127.0.0.1/postgres', 'must not be an address of this machine only'],
    ['postgres://admin:hush@localhost/postgres', 'must not be an address of this machine only'],
    ['postgres://admin:hush@[::1]/postgres', 'must not be an address of this machine only'],
    ['postgres://admin:hush@0.0.0.0/postgres', 'must not be an address of this machine only'],
    ['postgres://admin:hush@db,127.0.0.9/postgres', 'must not be an address of this machine only'],
    ['postgres://admin:hush@/postgres', 'must '],
    ['postgres://admin:hush@/postgres?host=/run/postgresql', 'must not name a Unix socket'],
    ['postgres://10.0.0.7/postgres', 'needs the name of a login'],
    ['postgres://admin:hush@db/postgres?sslmode=verify-full&sslrootcert=/etc/ca.pem', 'must not contain sslrootcert'],
    ['mysql://admin:hush@db/postgres', 'must be an address like postgres://'],
    ['hush', 'must be an address like postgres://'],
  ])('is not %s', (SERVICE_DATABASE_URL, reason) => {
    const message = readRefusal({ SERVICE_DATABASE_URL })
    expect(message).toContain(`SERVICE_DATABASE_URL ${reason}`)
    expect(message).not.toContain('hush')
  })
})

describe('GATEWAY', () => {
  it('can be Traefik, which needs a network', () => {
    const traefik = { GATEWAY: 'traefik', TRAEFIK_NETWORK: 'traefik_public' }
    expect(readDocker(traefik).gateway).toEqual({
      kind: 'traefik',
      network: 'traefik_public',
      entryPoint: null,
      certResolver: null,
    })
    expect(readDocker({ ...traefik, TRAEFIK_ENTRYPOINT: 'websecure' }).gateway).toMatchObject({
      entryPoint: 'websecure',
    })
    expect(readRefusal({ GATEWAY: 'traefik' })).toMatch(/^GATEWAY=traefik needs TRAEFIK_NETWORK/)
    for (const TRAEFIK_NETWORK of ['-a', 'a b', 'a,b', 'a`b', 'a'.repeat(65), 'ä'])
      expect(readRefusal({ ...traefik, TRAEFIK_NETWORK })).toMatch(/^TRAEFIK_NETWORK must be the name of a network/)
    for (const TRAEFIK_ENTRYPOINT of ['a b', 'a,b', 'web`) || Host(`x', 'a'.repeat(65)])
      expect(readRefusal({ ...traefik, TRAEFIK_ENTRYPOINT })).toMatch(
        /^TRAEFIK_ENTRYPOINT must be the name of an entry/,
      )
  })

  it('is one of two, and settings of Traefik need Traefik', () => {
    expect(readRefusal({ GATEWAY: 'nginx' })).toBe('GATEWAY must be one of own, traefik, not "nginx".')
    expect(readRefusal({ TRAEFIK_NETWORK: 'a' })).toBe('TRAEFIK_NETWORK needs GATEWAY=traefik as well.')
    expect(readRefusal({ GATEWAY: 'own', TRAEFIK_ENTRYPOINT: 'a' })).toBe(
      'TRAEFIK_ENTRYPOINT needs GATEWAY=traefik as well.',
    )
  })

  it('needs a fixed port where several nodes can use the database', () => {
    const DATABASE_URL = 'postgres://portal:hush@db/portal'
    expect(readRefusal({ DATABASE_URL })).toMatch(/^HOSTING=docker needs a fixed port .* set SERVICE_PORT/)
    expect(readRefusal({ DATABASE_URL, SERVICE_PORT: '0' })).toMatch(/^HOSTING=docker needs a fixed port/)
    expect(readRefusal({ DATABASE_URL, SERVICE_PORT: '8090' })).toBe('accepted')
    expect(readRefusal({ DATABASE_URL, GATEWAY: 'traefik', TRAEFIK_NETWORK: 'a' })).toBe('accepted')
    expect(readRefusal({})).toBe('accepted')
  })

  it('opens to other machines only behind a proxy, and Traefik does not use SERVICE_HOST', () => {
    expect(readRefusal({ SERVICE_HOST: '0.0.0.0' })).toMatch(
      /^SERVICE_HOST 0\.0\.0\.0 opens hosted services to other machines/,
    )
    expect(readRefusal({ SERVICE_HOST: '0.0.0.0', TRUST_PROXY: '1' })).toBe('accepted')
    expect(readRefusal({ SERVICE_HOST: '0.0.0.0', GATEWAY: 'traefik', TRAEFIK_NETWORK: 'a' })).toBe('accepted')
  })
})

test('SERVICE_MEMORY_SIZES ascend', () => {
  expect(readDocker({ SERVICE_MEMORY_SIZES: '512, 1024,2048' }).memorySizes).toEqual([512, 1024, 2048])
  expect(readDocker({ SERVICE_MEMORY_SIZES: '64,1048576' }).memorySizes).toEqual([64, 1_048_576])
  const texts = [
    '63',
    '1048577',
    '512,512',
    '1024,512',
    '512,',
    ',512',
    '512;1024',
    '512.5',
    '1e3',
    '-512',
    'a',
    '0x200',
    ' ',
  ]
  const tooMany = Array.from({ length: 51 }, (_, index) => 100 + index).join(',')
  for (const SERVICE_MEMORY_SIZES of [...texts, tooMany])
    expect(readRefusal({ SERVICE_MEMORY_SIZES })).toMatch(/^SERVICE_MEMORY_SIZES must be at most 50 ascending numbers/)
})

test('SERVICE_NODE_ADDRESS is a host without a port', () => {
  for (const SERVICE_NODE_ADDRESS of ['10.0.0.5', 'fd00::5', 'node.internal', '127.0.0.1'])
    expect(readDocker({ SERVICE_NODE_ADDRESS }).nodeAddress).toBe(SERVICE_NODE_ADDRESS)
  for (const SERVICE_NODE_ADDRESS of ['10.0.0.5:80', 'http://a', '0.0.0.0', '::', '[::1]', 'a/b', 'a b', '10.0.0', '*'])
    expect(readRefusal({ SERVICE_NODE_ADDRESS })).toMatch(
      /^SERVICE_NODE_ADDRESS must be an IP address or a host name without a port/,
    )
})

test('SERVICE_HEALTH_SECONDS has limits', () => {
  expect(readDocker({ SERVICE_HEALTH_SECONDS: '1' }).healthSeconds).toBe(1)
  for (const SERVICE_HEALTH_SECONDS of ['0', '301', '1.5', '-1', '10s'])
    expect(readRefusal({ SERVICE_HEALTH_SECONDS })).toMatch(
      /^SERVICE_HEALTH_SECONDS must be a whole number from 1 to 300/,
    )
})

it('lists settings of the engine of one machine that have no effect', () => {
  expect(
    readHosting({ HOSTING_DIR: '/srv', SERVICE_MEMORY_MB: '1000', SERVICE_HOST: '127.0.0.1' }).unusedNames,
  ).toEqual(['HOSTING_DIR', 'SERVICE_MEMORY_MB'])
  const traefik = { GATEWAY: 'traefik', TRAEFIK_NETWORK: 'a', SERVICE_HOST: '127.0.0.1' }
  expect(readHosting(traefik).unusedNames).toEqual(['SERVICE_HOST'])
})
