/**
 * The settings that must be equal on all nodes of a database (decision 97 has the reason for each). Effective values are compared, so an
 * unset variable is equal to its default. The default of PUBLIC_URL contains the port of the node, so it counts as one value for all. Of a
 * secret only a fingerprint is returned.
 */
import { createHash } from 'node:crypto'
import { readFolderId } from '#server/composition/file-store-id.ts'
import type { BackupSettings } from '#server/config/backup-config.ts'
import type { Config } from '#server/config/config.ts'
import type { DockerSettings } from '#server/config/docker-config.ts'
import type { HostingSettings } from '#server/config/hosting-config.ts'
import { parsePostgresAddress } from '#server/config/postgres-address.ts'
import type { PaymentConfig } from '#server/config/payment-config.ts'
import type { ClusterSettings } from '#server/db/cluster/nodes.ts'
import type { CheckpointSettings } from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import type { BucketSettings } from '#server/drivers/file-store/bucket-settings.ts'
import type { StoreLocation } from '#server/drivers/file-store/file-store.ts'
import { getLogsName } from '#server/use-cases/audit/log-identity.ts'

/** Settings that are read apart from `Config`. */
export interface OtherSettings {
  payments: PaymentConfig
  hosting: HostingSettings
  backups: BackupSettings
  checkpoints: CheckpointSettings
  /** Whether this process works on hosted services with `HOSTING=docker`, so that it makes and restores backups. */
  runsJobs: boolean
}

interface SettingSources extends OtherSettings {
  /** With the token key that is in use. */
  config: Config
  /** The settings of the file store, see `describeFileStore`. */
  fileStore: ClusterSettings
  /** The settings of the backup stores, see `describeBackupStores`. */
  backupStores: ClusterSettings
}

const unset = 'not set'
const fingerprintMark = 'fingerprint '

/** Same form as the fingerprint of `checkTokenKey`. A key of 32 random bytes cannot be guessed from it. */
const toFingerprint = (name: string, ...secrets: readonly (Buffer | string)[]): string => {
  const hash = createHash('sha256').update(name)
  for (const secret of secrets) hash.update('\0').update(secret)
  return fingerprintMark + hash.digest('hex').slice(0, 16)
}

export const isFingerprint = (value: string): boolean => value.startsWith(fingerprintMark)

export function getClusterSettings(sources: SettingSources): ClusterSettings {
  const { config, hosting, fileStore, backupStores, checkpoints } = sources
  return {
    ...getKeySettings(sources),
    ...getPaymentSettings(sources),
    HOSTING: config.hosting === 'docker' ? 'docker' : 'local, elsewhere or off',
    ...(config.hosting === 'local' ? getLocalHostingSettings(sources) : {}),
    ...(hosting.docker ? { ...getDockerSettings(config, hosting.docker), ...backupStores } : {}),
    TIME_ZONE: config.timeZone,
    PUBLIC_URL: config.publicUrl === `http://localhost:${config.port}` ? unset : config.publicUrl,
    UAT_BOUND: config.uatBound,
    CREDIT_SMALLER_CONTRACTS: config.creditSmallerContracts ? '1' : '0',
    STEP_UP: config.stepUp ? '1' : '0',
    AUDIT_YEARS: String(config.auditYears),
    ...fileStore,
    AUDIT_CHECKPOINT_STORE: describeCheckpointStore(checkpoints),
  }
}

function getKeySettings({ config, runsJobs }: SettingSources): ClusterSettings {
  const { tokenKey, auditKey, auditKeyNext, backupKey, backupKeysBefore, hosting } = config
  // Only a node that works on the services needs the keys of their archives. Another node may have none, but not another one.
  const hasBackupKey = backupKey !== null || hosting === 'local' || (hosting === 'docker' && runsJobs)
  return {
    TOKEN_KEY: toFingerprint('TOKEN_KEY', tokenKey),
    AUDIT_KEY: toFingerprint('AUDIT_KEY', auditKey ?? tokenKey),
    AUDIT_KEY_NEXT: auditKeyNext ? toFingerprint('AUDIT_KEY_NEXT', auditKeyNext) : unset,
    AUDIT_NAME: getLogsName({ config }),
    ...(hasBackupKey
      ? {
          BACKUP_KEY: toFingerprint('BACKUP_KEY', backupKey ?? tokenKey),
          BACKUP_KEYS_BEFORE:
            backupKeysBefore.length === 0
              ? unset
              : toFingerprint('BACKUP_KEYS_BEFORE', ...backupKeysBefore.toSorted(Buffer.compare)),
        }
      : {}),
  }
}

/** The accounts that receive the money. Other keys of the same account may differ, so that they can be exchanged node by node. */
function getPaymentSettings({
  payments: { stripe, alipay, globalAlipay, bankAccounts },
}: SettingSources): ClusterSettings {
  const toAccount = (name: string, ...ids: (string | undefined)[]) =>
    ids[0] === undefined ? unset : toFingerprint(name, ...ids.map(String))
  return {
    STRIPE_PUBLISHABLE_KEY: toAccount('STRIPE_PUBLISHABLE_KEY', stripe?.publishableKey),
    ALIPAY_APP_ID: toAccount('ALIPAY_APP_ID', alipay?.appId, alipay?.sellerId),
    GLOBAL_ALIPAY_PARTNER: toAccount('GLOBAL_ALIPAY_PARTNER', globalAlipay?.partner),
    BANK_ACCOUNTS: toAccount('BANK_ACCOUNTS', ...bankAccounts.map((account) => JSON.stringify(account))),
  }
}

/** Compared only between nodes that run services, also when these move to another node. */
const getLocalHostingSettings = ({ config, backups }: SettingSources): ClusterSettings => ({
  SERVICE_DOMAIN: config.serviceDomain,
  SERVICE_TLS: config.serviceTls ? '1' : '0',
  BACKUP_STORE: backups.bucket ? describeBucket(backups.bucket) : 'local',
})

/**
 * Any node may work on a service, so its containers must not depend on the node. Logins are exchanged node by node, so of the database only
 * the host is compared. Each node may use another manager of the Swarm.
 */
function getDockerSettings(config: Config, docker: DockerSettings): ClusterSettings {
  const { prefix, image, databaseUrl, gateway, memorySizes, healthSeconds } = docker
  const hosts = databaseUrl === null ? [] : parsePostgresAddress(databaseUrl).hosts
  return {
    SERVICE_DOMAIN: config.serviceDomain,
    SERVICE_TLS: config.serviceTls ? '1' : '0',
    DOCKER_PREFIX: prefix,
    SERVICE_IMAGE: image ?? unset,
    SERVICE_DATABASE_URL:
      hosts.length === 0
        ? unset
        : toFingerprint('SERVICE_DATABASE_URL', ...hosts.map(({ host, port }) => `${host.toLowerCase()} ${port}`)),
    GATEWAY: gateway.kind,
    ...(gateway.kind === 'traefik'
      ? {
          TRAEFIK_NETWORK: gateway.network,
          TRAEFIK_ENTRYPOINT: gateway.entryPoint ?? unset,
          TRAEFIK_CERT_RESOLVER: gateway.certResolver ?? unset,
        }
      : {}),
    // The port is a part of the addresses, unless a proxy is in front.
    ...(config.serviceTls ? {} : { SERVICE_PORT: config.servicePort === 0 ? unset : String(config.servicePort) }),
    SERVICE_MEMORY_SIZES: memorySizes?.join(',') ?? unset,
    SERVICE_HEALTH_SECONDS: String(healthSeconds),
  }
}

/** Describes the stores of backups. With `HOSTING=docker` any node may restore what another one has stored. */
export async function describeBackupStores({
  bucket,
  folder,
  copiesUrl,
  copiesFolder,
}: BackupSettings): Promise<ClusterSettings> {
  const copies = copiesUrl === null ? null : parsePostgresAddress(copiesUrl)
  return {
    BACKUP_STORE: bucket ? describeBucket(bucket) : `folder ${await readFolderId(folder, 'BACKUP_DIR')}`,
    BACKUP_DATABASE_URL: copies
      ? toFingerprint(
          'BACKUP_DATABASE_URL',
          ...copies.hosts.map(({ host, port }) => `${host.toLowerCase()} ${port}`),
          copies.database ?? copies.user ?? '',
        )
      : // Only one process can open an embedded database. In its own folder the file would count as that of another program.
        `embedded ${await readFolderId(`${copiesFolder}-id`, 'DATA_DIR')}`,
  }
}

/** The file of a checkpoint store is in each node's own folder by default, so its path is not compared. */
function describeCheckpointStore(settings: CheckpointSettings): string {
  if (settings.kind === 'none') return 'off'
  return settings.kind === 's3' ? describeBucket(settings.bucket, settings.key) : 'a file'
}

/** Describes the store of files by the bucket, or by the id of the folder, because nodes may name the same folder differently. */
export const describeFileStore = async (location: StoreLocation): Promise<ClusterSettings> =>
  location.kind === 's3'
    ? { FILES_STORE: 's3', FILES_BUCKET: describeBucket(location.bucket, location.prefix || undefined) }
    : { FILES_STORE: 'folder', FILES_DIR: `folder ${await readFolderId(location.folder)}` }

/** The names of Amazon's buckets are unique, so the region is not compared. */
export const describeBucket = (
  { bucket, endpoint }: Pick<BucketSettings, 'bucket' | 'endpoint'>,
  key?: string,
): string => `s3://${bucket}${key === undefined ? '' : `/${key}`}${endpoint === null ? '' : ` at ${endpoint}`}`
