/** Starts several nodes of the portal as processes on one PostgreSQL database, behind a balancer. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Balancer, openBalancer } from '#tests/support/nodes/balancer.ts'
import type { S3Server } from '#tests/support/hosting/s3/server.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'
import { runAsSuperuser } from '#tests/support/server/postgres.ts'
import { type RunningProcess, startProcess } from '#tests/support/server/process.ts'

export interface PortalNode {
  process: RunningProcess
  url: string
  port: number
}

export interface PortalNodes {
  balancer: Balancer
  nodes: PortalNode[]
  /** Settings of all nodes. */
  env: Record<string, string>
  /** Address of the database, for a look into it. */
  databaseUrl: string
  close(): Promise<void>
}

export interface NodesOptions {
  /** Address of a PostgreSQL cluster, with a superuser and without a database name. */
  clusterUrl: string
  /** Settings of each node, in addition to the common ones. */
  nodes: Record<string, string>[]
  env?: Record<string, string>
}

/** Starts the nodes one after the other, with a database of their own. Each node has its own data folder. */
export async function startNodes({
  clusterUrl,
  nodes: nodeEnvs,
  env: extraEnv = {},
}: NodesOptions): Promise<PortalNodes> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-nodes-'))
  const databaseName = `nodes_${randomUUID().replaceAll('-', '')}`
  await runAsSuperuser(clusterUrl, 'postgres', [`create database ${databaseName}`])
  const balancer = await openBalancer()
  const databaseUrl = `${clusterUrl}/${databaseName}`
  const env = {
    DATABASE_URL: databaseUrl,
    MIGRATE_DATABASE_URL: databaseUrl,
    PUBLIC_URL: balancer.url,
    TOKEN_KEY: '42'.repeat(32),
    FILES_DIR: join(folder, 'files'),
    AUDIT_CHECKPOINT_STORE: join(folder, 'checkpoints.json'),
    ...extraEnv,
  }
  const nodes: PortalNode[] = []
  const close = async () => {
    // Like Ctrl-C, which also ends the hosted services.
    await Promise.all(nodes.map(({ process }) => process.kill('SIGINT')))
    await balancer.close()
    await runAsSuperuser(clusterUrl, 'postgres', [`drop database ${databaseName} with (force)`])
    await rm(folder, { recursive: true, force: true })
  }
  try {
    for (const [index, nodeEnv] of nodeEnvs.entries())
      nodes.push(await startNode({ ...env, DATA_DIR: join(folder, `node-${index}`), ...nodeEnv }))
  } catch (error) {
    await close()
    throw error
  }
  balancer.setTargets(nodes.map(({ port }) => port))
  return { balancer, nodes, env, databaseUrl, close }
}

/** Returns the settings with which nodes store all files in the bucket of a test server. */
export function toFilesEnv({ url, settings }: S3Server): Record<string, string> {
  const { bucket, credentials } = settings()
  return {
    FILES_STORE: 's3',
    FILES_BUCKET: bucket,
    AUDIT_CHECKPOINT_STORE: `s3://${bucket}/checkpoints.json`,
    S3_ENDPOINT: url,
    AWS_ACCESS_KEY_ID: credentials?.accessKeyId ?? '',
    AWS_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '',
  }
}

/** Starts a node, on a free port unless one is given. Its own address is not in its output, because `PUBLIC_URL` is the balancer's. */
export async function startNode(env: Record<string, string>, fixedPort: number | null = null): Promise<PortalNode> {
  const port = fixedPort ?? (await findFreePort())
  const node = startProcess({ ...env, PORT: String(port) })
  await node.ready
  return { process: node, url: `http://127.0.0.1:${port}`, port }
}
