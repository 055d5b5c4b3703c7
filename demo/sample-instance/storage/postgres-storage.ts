/** Stores an instance in a PostgreSQL database of its own: the current data in one schema, each draft in another. */
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { Client, type ClientBase, type Pool } from 'pg'
import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'
import type { AppFile } from '#demo/sample-instance/storage/instance-storage.ts'
import { type InstanceStorage, isDraftId, type PackageStore } from '#demo/sample-instance/storage/instance-storage.ts'
import { readPostgresData, writePostgresData } from '#demo/sample-instance/storage/postgres-data.ts'
import { isTableMissing, toDatabaseError } from '#demo/sample-instance/storage/postgres-errors.ts'
import * as schemas from '#demo/sample-instance/storage/postgres-schema.ts'
import { createPostgresStore, openPool, runTransaction } from '#demo/sample-instance/storage/postgres-store.ts'
import type { SampleStore } from '#demo/sample-instance/storage/store.ts'

/** Maximum wait for requests that still read data that is deleted. */
const lockTimeout = "set local lock_timeout = '10s'"
const { controlSchema, dataSchema, getDraftSchema, getReplacedSchema } = schemas

export class PostgresStorage implements InstanceStorage {
  readonly kind = 'database'
  readonly uploadFolder = tmpdir()
  readonly packages: PackageStore
  readonly #url: string
  readonly #clock: () => number
  readonly #pool: Pool
  readonly #store: SampleStore
  #preparePromise: Promise<void> | null = null

  /** Opens no connection yet. The database may be unreachable at first. */
  constructor(url: string, clock: () => number) {
    this.#url = url
    this.#clock = clock
    this.#pool = openPool(url)
    this.#store = createPostgresStore(this.#pool)
    this.packages = this.#openPackages()
  }

  useStore<T>(work: (store: SampleStore) => Promise<T>): Promise<T> {
    return this.#run(() => work(this.#store))
  }

  /** Creates the tables first, if necessary. */
  async #run<T>(work: () => Promise<T>): Promise<T> {
    try {
      this.#preparePromise ??= runTransaction(this.#pool, (client) => this.#prepare(client))
      await this.#preparePromise.catch((error: unknown) => {
        this.#preparePromise = null
        throw error
      })
      return await work()
    } catch (error) {
      if (isTableMissing(error)) this.#preparePromise = null
      throw toDatabaseError(error)
    }
  }

  async #prepare(client: ClientBase): Promise<void> {
    const existing = await schemas.hasSchemas(client)
    if (!existing.control) await client.query(schemas.controlStatements)
    if (existing.data) return
    await client.query(schemas.buildDataSchema(dataSchema))
    await client.query(schemas.buildAdminStatement(dataSchema), [this.#clock()])
  }

  /** Uses a connection without a time limit, which is not one of the pool, because reading and writing all data may take hours. */
  async #openClient(): Promise<Client> {
    const client = new Client({ connectionString: this.#url, connectionTimeoutMillis: 5000 })
    client.on('error', () => undefined)
    await client.connect()
    return client
  }

  async *readData(): AsyncGenerator<DataPiece> {
    const client = await this.#run(() => this.#openClient())
    try {
      yield* readPostgresData(client)
    } catch (error) {
      throw toDatabaseError(error)
    } finally {
      await client.end()
    }
  }

  /** If the task or the connection ends early, PostgreSQL undoes the transaction and nothing remains. */
  async createDraft(pieces: AsyncIterable<DataPiece>): Promise<string> {
    const id = randomBytes(16).toString('hex')
    const client = await this.#run(() => this.#openClient())
    try {
      await client.query('begin')
      await writePostgresData(client, getDraftSchema(id), pieces)
      await client.query(schemas.buildAdminStatement(getDraftSchema(id)), [this.#clock()])
      await client.query(`insert into ${controlSchema}.drafts (id) values ($1)`, [id])
      await client.query('commit')
      return id
    } catch (error) {
      throw toDatabaseError(error)
    } finally {
      await client.end()
    }
  }

  async activateDraft(id: string): Promise<boolean> {
    if (!isDraftId(id)) return false
    const isActivated = await this.#run(() => runTransaction(this.#pool, (client) => this.#activate(client, id)))
    // Somebody may still read the earlier data. Then a later start removes it.
    if (isActivated) await this.#removeReplaced().catch(() => undefined)
    return isActivated
  }

  async #activate(client: ClientBase, id: string): Promise<boolean> {
    const draftQuery = `select is_active from ${controlSchema}.drafts where id = $1`
    const [draft] = (await client.query<{ is_active: boolean }>(draftQuery, [id])).rows
    if (!draft || draft.is_active) return draft !== undefined
    await schemas.lockOutReaders(client)
    await client.query(`alter schema ${dataSchema} rename to ${getReplacedSchema(randomBytes(16).toString('hex'))}`)
    await client.query(`alter schema ${getDraftSchema(id)} rename to ${dataSchema}`)
    await client.query(`delete from ${controlSchema}.drafts where is_active`)
    await client.query(`update ${controlSchema}.drafts set is_active = true where id = $1`, [id])
    return true
  }

  removeDraft(id: string): Promise<void> {
    const removeQuery = `delete from ${controlSchema}.drafts where id = $1 and not is_active`
    return this.#run(() =>
      runTransaction(this.#pool, async (client) => {
        if (!isDraftId(id) || (await client.query(removeQuery, [id])).rowCount === 0) return
        await client.query(`drop schema ${getDraftSchema(id)} cascade`)
      }),
    )
  }

  async #removeReplaced(): Promise<void> {
    for (const schema of await this.#run(() => schemas.listSchemas(this.#pool, 'replaced_')))
      await runTransaction(this.#pool, async (client) => {
        await client.query(lockTimeout)
        await client.query(`drop schema if exists ${schema} cascade`)
      })
  }

  async eraseData(): Promise<void> {
    await this.#run(() =>
      runTransaction(this.#pool, async (client) => {
        await client.query(lockTimeout)
        const draftSchemas = await schemas.listSchemas(client, '(?:draft|replaced)_')
        for (const schema of [...draftSchemas, dataSchema, controlSchema])
          await client.query(`drop schema if exists ${schema} cascade`)
      }),
    )
    this.#preparePromise = null
  }

  async cleanUp(): Promise<void> {
    const { rows } = await this.#run(() =>
      this.#pool.query<{ id: string }>(
        `select id from ${controlSchema}.drafts where not is_active and created < now() - interval '1 day'`,
      ),
    )
    for (const { id } of rows) await this.removeDraft(id)
    await this.#removeReplaced()
  }

  #openPackages(): PackageStore {
    const query = <T>(statement: string, values: readonly unknown[] = []) =>
      this.#run(async () => (await this.#pool.query(statement, [...values])).rows as T[])
    return {
      list: async () =>
        (await query<{ sha256: string }>(`select sha256 from ${controlSchema}.packages`)).map(({ sha256 }) => sha256),
      async read(sha256) {
        const statement = `select files from ${controlSchema}.packages where sha256 = $1`
        const [row] = await query<{ files: string }>(statement, [sha256])
        return row ? (JSON.parse(row.files) as AppFile[]) : null
      },
      async add(sha256, files) {
        const statement = `insert into ${controlSchema}.packages (sha256, files) values ($1, $2) on conflict do nothing`
        await query(statement, [sha256, JSON.stringify(files)])
      },
      keep: async (sha256s) =>
        void (await query(`delete from ${controlSchema}.packages where sha256 <> all ($1::text[])`, [sha256s])),
    }
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}
