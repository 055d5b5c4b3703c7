/**
 * squawk on the SQL of the migrations after 049, as PostgreSQL receives it: does a statement lock a table for long, rewrite it, or break a
 * server of the earlier build? Earlier migrations ran before the first release.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Kysely, PostgresDialect } from 'kysely'
import { Pool } from 'pg'
import { listMigrationNames, loadMigrations } from '#server/db/migrations/index.ts'
import type { Finding, Judge } from '#tests/campaigns/judges/judge.ts'
import { installPackage, runProgram } from '#tests/campaigns/judges/tools.ts'
import { postgresBin, runAsSuperuser, startCluster } from '#tests/support/server/postgres.ts'

const [name, version] = ['squawk-cli', '2.66.0'] as const
const lastEarlyMigration = '049-column-names'

interface Violation {
  file: string
  line: number
  level: string
  message: string
  rule_name: string
}

/** Runs all migrations and writes one file for each that is to be judged. Returns their paths. */
async function writeSqlFiles(databaseUrl: string, folder: string): Promise<Map<string, string>> {
  let statements: string[] = []
  const db = new Kysely<never>({
    dialect: new PostgresDialect({ pool: new Pool({ connectionString: databaseUrl, max: 1 }) }),
    log: ({ query }) => void statements.push(query.sql),
  })
  const texts = new Map<string, string>()
  try {
    const migrations = await loadMigrations(listMigrationNames())
    for (const [migrationName, { up }] of Object.entries(migrations)) {
      statements = []
      await up(db)
      if (migrationName <= lastEarlyMigration) continue
      const text = statements.map((statement) => `${statement.trim().replace(/;$/, '')};\n`).join('\n')
      const file = join(folder, `${migrationName}.sql`)
      await writeFile(file, text)
      texts.set(file, text)
    }
  } finally {
    await db.destroy()
  }
  return texts
}

/** Returns the statement that contains the line, shortened. It is a part of the key, because numbers of lines change. */
function findStatement(text: string, line: number): string {
  const lines = text.split('\n')
  const start = lines.slice(0, line).findLastIndex((value) => value.trimEnd().endsWith(';')) + 1
  const rest = lines.slice(start).join(' ').replace(/\s+/g, ' ').trim()
  return (rest.split(';')[0] ?? rest).slice(0, 70)
}

function toFinding({ file, line, level, message, rule_name: rule }: Violation, text: string): Finding {
  const migrationName = file.replace(/^.*\/|\.sql$/g, '')
  const statement = findStatement(text, line)
  return { key: `${rule} ${migrationName}`, text: `${level}: ${message} In: ${statement}` }
}

export const migrationsSql: Judge = {
  id: 'squawk',
  tool: `${name} ${version}`,
  async judge({ folder }) {
    const program = join(await installPackage(name, version), 'js', 'bin', 'squawk')
    const bin = postgresBin()
    if (bin === null) throw new Error('PostgreSQL is not installed')
    const cluster = await startCluster(bin)
    try {
      await runAsSuperuser(cluster.url, 'postgres', ['create database judged'])
      const texts = await writeSqlFiles(`${cluster.url}/judged`, folder)
      // Each migration runs in a transaction, and the oldest supported PostgreSQL is 15.
      const options = ['--reporter=json', '--assume-in-transaction', '--pg-version=15']
      const { stdout, stderr } = await runProgram(process.execPath, [program, ...options, ...texts.keys()])
      if (!stdout.trimStart().startsWith('[')) throw new Error(`no report: ${stderr}`)
      const violations = JSON.parse(stdout) as Violation[]
      return {
        result: `${texts.size} migrations, ${violations.length} findings`,
        findings: violations.map((violation) => toFinding(violation, texts.get(violation.file) ?? '')),
      }
    } finally {
      await cluster.stop()
    }
  },
}
