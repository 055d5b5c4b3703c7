/** Tests which settings must be equal on all nodes, and that values of secrets are not among them. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeBackupStores, getClusterSettings } from '#server/composition/cluster-settings.ts'
import { readBackupSettings } from '#server/config/backup-config.ts'
import { readCheckpointSettings } from '#server/config/checkpoint-config.ts'
import { readConfig } from '#server/config/config.ts'
import { readHostingSettings } from '#server/config/hosting-config.ts'
import { readPaymentSettings } from '#server/config/payment-config.ts'

const tokenKey = '11'.repeat(32)

const readSettings = (env: Record<string, string>, folderId = 'folder 1', runsJobs = true) => {
  const allEnv = { TOKEN_KEY: tokenKey, DEMO: '0', DATA_DIR: '/srv/a', HOSTING: 'off', ...env }
  const config = readConfig(allEnv)
  return getClusterSettings({
    config,
    fileStore: { FILES_STORE: 'folder', FILES_DIR: folderId },
    backupStores: { BACKUP_STORE: 'folder 3' },
    payments: readPaymentSettings(allEnv, config),
    hosting: readHostingSettings(allEnv, config),
    runsJobs,
    backups: readBackupSettings(allEnv, config),
    checkpoints: readCheckpointSettings(allEnv, config),
  })
}

function listChangedNames(env: Record<string, string>, otherEnv: Record<string, string>): string[] {
  const [settings, otherSettings] = [readSettings(env), readSettings(otherEnv)]
  const names = new Set([...Object.keys(settings), ...Object.keys(otherSettings)])
  return [...names].filter((name) => settings[name] !== otherSettings[name])
}

const stripe = {
  STRIPE_SECRET_KEY: 'sk_test_one',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_one',
  STRIPE_WEBHOOK_SECRET: 'whsec_one',
}
const hosting = { HOSTING: 'local' }
const docker = { HOSTING: 'docker', SERVICE_IMAGE: 'erp:1' }
const traefik = { ...docker, GATEWAY: 'traefik', TRAEFIK_NETWORK: 'public' }
const s3 = { S3_ENDPOINT: 'https://s3.example.com', BACKUP_BUCKET: 'acme-archives', BACKUP_STORE: 's3' }

test.each([
  ['AUDIT_KEY, AUDIT_NAME', {}, { AUDIT_KEY: '22'.repeat(32) }],
  ['AUDIT_KEY_NEXT', {}, { AUDIT_KEY_NEXT: '22'.repeat(32) }],
  ['AUDIT_NAME', {}, { AUDIT_NAME: '0123456789abcdef' }],
  ['BACKUP_KEY', hosting, { ...hosting, BACKUP_KEY: '22'.repeat(32) }],
  ['BACKUP_KEYS_BEFORE', hosting, { ...hosting, BACKUP_KEYS_BEFORE: '22'.repeat(32) }],
  ['TIME_ZONE', {}, { TIME_ZONE: 'Europe/Berlin' }],
  ['PUBLIC_URL', {}, { PUBLIC_URL: 'https://portal.example.com' }],
  ['UAT_BOUND', {}, { UAT_BOUND: 'ceiling' }],
  ['STEP_UP', {}, { STEP_UP: '1' }],
  ['AUDIT_YEARS', {}, { AUDIT_YEARS: '0' }],
  ['STRIPE_PUBLISHABLE_KEY', stripe, { ...stripe, STRIPE_PUBLISHABLE_KEY: 'pk_test_two' }],
  ['STRIPE_PUBLISHABLE_KEY', {}, stripe],
  ['AUDIT_CHECKPOINT_STORE', {}, { AUDIT_CHECKPOINT_STORE: 'off' }],
  [
    'AUDIT_CHECKPOINT_STORE',
    { ...s3, AUDIT_CHECKPOINT_STORE: 's3://acme-audit/one' },
    { ...s3, AUDIT_CHECKPOINT_STORE: 's3://acme-audit/two' },
  ],
  ['SERVICE_DOMAIN', hosting, { ...hosting, SERVICE_DOMAIN: 'services.example.com' }],
  ['SERVICE_TLS', hosting, { ...hosting, SERVICE_TLS: '1' }],
  ['BACKUP_STORE', hosting, { ...hosting, ...s3 }],
  ['DOCKER_PREFIX', docker, { ...docker, DOCKER_PREFIX: 'other' }],
  ['SERVICE_IMAGE', docker, { ...docker, SERVICE_IMAGE: 'erp:2' }],
  ['SERVICE_DATABASE_URL', docker, { ...docker, SERVICE_DATABASE_URL: 'postgres://a:b@db/postgres' }],
  [
    'SERVICE_DATABASE_URL',
    { ...docker, SERVICE_DATABASE_URL: 'postgres://a:b@db/postgres' },
    { ...docker, SERVICE_DATABASE_URL: 'postgres://a:b@db:5433/postgres' },
  ],
  ['TRAEFIK_NETWORK', traefik, { ...traefik, TRAEFIK_NETWORK: 'other' }],
  ['TRAEFIK_ENTRYPOINT', traefik, { ...traefik, TRAEFIK_ENTRYPOINT: 'websecure' }],
  [
    'TRAEFIK_CERT_RESOLVER',
    { ...traefik, SERVICE_TLS: '1' },
    { ...traefik, SERVICE_TLS: '1', TRAEFIK_CERT_RESOLVER: 'le' },
  ],
  ['GATEWAY, TRAEFIK_NETWORK, TRAEFIK_ENTRYPOINT, TRAEFIK_CERT_RESOLVER', docker, traefik],
  ['SERVICE_PORT', docker, { ...docker, SERVICE_PORT: '8090' }],
  ['SERVICE_DOMAIN', docker, { ...docker, SERVICE_DOMAIN: 'services.example.com' }],
  ['SERVICE_MEMORY_SIZES', docker, { ...docker, SERVICE_MEMORY_SIZES: '512,1024' }],
  ['SERVICE_HEALTH_SECONDS', docker, { ...docker, SERVICE_HEALTH_SECONDS: '5' }],
])('compares %s', (names, env, otherEnv) => {
  expect(listChangedNames(env, otherEnv).join(', ')).toBe(names)
})

test('compares everything that is derived from TOKEN_KEY with it', () => {
  expect(listChangedNames(hosting, { ...hosting, TOKEN_KEY: '22'.repeat(32) })).toEqual([
    'TOKEN_KEY',
    'AUDIT_KEY',
    'AUDIT_NAME',
    'BACKUP_KEY',
  ])
})

test('compares the store of files by its id', () => {
  expect([readSettings({}, 'folder 1')['FILES_DIR'], readSettings({}, 'folder 2')['FILES_DIR']]).toEqual([
    'folder 1',
    'folder 2',
  ])
})

test.each([
  ['a default that is written out', {}, { AUDIT_KEY: tokenKey, TIME_ZONE: 'Asia/Hong_Kong', STEP_UP: '0' }],
  ['another spelling of an address', { PUBLIC_URL: 'https://a.example/' }, { PUBLIC_URL: 'HTTPS://A.example:443' }],
  [
    'the order of former keys',
    { ...hosting, BACKUP_KEYS_BEFORE: `${'22'.repeat(32)},${'33'.repeat(32)}` },
    { ...hosting, BACKUP_KEYS_BEFORE: `${'33'.repeat(32)},${'22'.repeat(32)}` },
  ],
  [
    'another key of the same payment account',
    stripe,
    { ...stripe, STRIPE_SECRET_KEY: 'rk_test_two', STRIPE_WEBHOOK_SECRET: 'whsec_two' },
  ],
  [
    'how each node reaches the Swarm, logins, and a port behind a proxy',
    { ...docker, SERVICE_TLS: '1', SERVICE_PORT: '8090', SERVICE_DATABASE_URL: 'postgres://a:b@DB/postgres' },
    {
      ...docker,
      SERVICE_TLS: '1',
      SERVICE_PORT: '8091',
      SERVICE_DATABASE_URL: 'postgres://c:d@db:5432/other',
      DOCKER_HOST: 'tcp://10.0.0.5',
      SERVICE_NODE_ADDRESS: '10.0.0.6',
      SERVICE_REGISTRY_USER: 'robot',
      SERVICE_REGISTRY_PASSWORD: 'secret',
      GATEWAY: 'own',
    },
  ],
  [
    'folders of this machine',
    {},
    { DATA_DIR: '/srv/b', AUDIT_CHECKPOINT_STORE: '/mnt/checkpoints', LOG_LEVEL: 'debug' },
  ],
  [
    'lifetimes, limits and addresses of this machine',
    {},
    { ACCESS_SECONDS: '60', REQUEST_FACTOR: '5', PORT: '9000', TRUST_PROXY: '1', MIN_BUILD: '1' },
  ],
])('does not compare %s', (_title, env, otherEnv) => {
  expect(listChangedNames(env, otherEnv)).toEqual([])
})

test('a node without services needs no key of archives, but may not have another one', () => {
  expect(readSettings({})['BACKUP_KEY']).toBeUndefined()
  const env = { BACKUP_KEY: '22'.repeat(32) }
  expect(readSettings(env)['BACKUP_KEY']).toBe(readSettings({ ...hosting, ...env })['BACKUP_KEY'])
  expect(readSettings(env)['BACKUP_KEY']).not.toBe(readSettings(hosting)['BACKUP_KEY'])
})

test('with docker every node has it, and only nodes that work on services share the keys and stores of backups', () => {
  const [dockerSettings, localSettings] = [readSettings(docker), readSettings(hosting)]
  expect([dockerSettings['HOSTING'], localSettings['HOSTING']]).toEqual(['docker', 'local, elsewhere or off'])
  expect(readSettings({ HOSTING: 'elsewhere' })['HOSTING']).toBe(localSettings['HOSTING'])
  expect(dockerSettings).toMatchObject({ BACKUP_KEY: localSettings['BACKUP_KEY'], BACKUP_STORE: 'folder 3' })
  expect(readSettings(docker, 'folder 1', false)['BACKUP_KEY']).toBeUndefined()
})

test('compares stores of backups that every node must reach', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'backup-stores-'))
  const describeStores = (env: Record<string, string>) => {
    const allEnv = { DEMO: '0', ...env }
    return describeBackupStores(readBackupSettings(allEnv, readConfig(allEnv)))
  }
  try {
    const [one, two] = [{ DATA_DIR: join(folder, '1') }, { DATA_DIR: join(folder, '2') }]
    const BACKUP_DIR = join(folder, 'shared')
    const store = await describeStores({ ...one, BACKUP_DIR })
    expect(await describeStores({ ...one, BACKUP_DIR })).toEqual(store)
    // Two nodes of one folder and embedded databases of their own.
    const otherStore = await describeStores({ ...two, BACKUP_DIR })
    expect(otherStore['BACKUP_STORE']).toBe(store['BACKUP_STORE'])
    expect(otherStore['BACKUP_DATABASE_URL']).not.toBe(store['BACKUP_DATABASE_URL'])
    expect((await describeStores(two))['BACKUP_STORE']).not.toBe(store['BACKUP_STORE'])
    const databaseUrls = [
      'postgres://a:hush@db/copies',
      'postgres://c:secret@DB:5432/copies',
      'postgres://a:hush@db/other',
    ]
    const [first, second, third] = await Promise.all(
      databaseUrls.map((BACKUP_DATABASE_URL) =>
        describeStores({ ...one, ...s3, S3_REGION: 'a-b', BACKUP_DATABASE_URL }),
      ),
    )
    expect(first).toEqual({
      BACKUP_STORE: 's3://acme-archives at https://s3.example.com',
      BACKUP_DATABASE_URL: expect.stringMatching(/^fingerprint [0-9a-f]{16}$/),
    })
    expect(second).toEqual(first)
    expect(third).not.toEqual(first)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('contains no secret and no account', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const alipayPrivateKey = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')
  const alipayPublicKey = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  const env = {
    ...hosting,
    ...stripe,
    ...s3,
    AUDIT_KEY: '22'.repeat(32),
    AUDIT_KEY_NEXT: '33'.repeat(32),
    BACKUP_KEY: '44'.repeat(32),
    BACKUP_KEYS_BEFORE: '55'.repeat(32),
    ALIPAY_APP_ID: '2021000000000001',
    ALIPAY_SELLER_ID: '2088000000000002',
    ALIPAY_PRIVATE_KEY: alipayPrivateKey,
    ALIPAY_PUBLIC_KEY: alipayPublicKey,
    GLOBAL_ALIPAY_PARTNER: '2088000000000003',
    GLOBAL_ALIPAY_PRIVATE_KEY: alipayPrivateKey,
    GLOBAL_ALIPAY_PUBLIC_KEY: alipayPublicKey,
    SMTP_URL: 'smtp://user:hush@mail.example',
    AWS_ACCESS_KEY_ID: 'AKIA0',
    AWS_SECRET_ACCESS_KEY: 'aws-secret',
  }
  const dockerEnv = {
    ...docker,
    SERVICE_DATABASE_URL: 'postgres://admin:hush@db/postgres',
    SERVICE_REGISTRY_USER: 'robot',
    SERVICE_REGISTRY_PASSWORD: 'hush-registry',
  }
  expect(JSON.stringify(readSettings({ ...env, ...dockerEnv }))).not.toMatch(/hush|robot/)
  const text = JSON.stringify(readSettings(env))
  const values = [
    tokenKey,
    ...Object.entries(env).flatMap(([name, value]) =>
      /KEY|APP_ID|SELLER|PARTNER|SMTP|SECRET/.test(name) ? [value] : [],
    ),
  ]
  expect(values.length).toBeGreaterThan(15)
  expect(values.filter((value) => text.includes(value))).toEqual([])
})
