/** Looks into the database and the mailbox at the end: nothing acknowledged is lost, and nothing took effect twice. */
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { readConfig } from '#server/config/config.ts'
import { openDatabase } from '#server/db/open.ts'
import type { LoadRecord } from '#tests/campaigns/cluster/load.ts'
import type { ReceivedMail } from '#tests/support/server/smtp.ts'

export interface EndState {
  faults: string[]
  /** Lines for the report. */
  lines: string[]
}

export async function checkDatabase(env: Record<string, string>, record: LoadRecord, log: Logger): Promise<EndState> {
  const database = await openDatabase(readConfig(env), log)
  try {
    return await database.kysely.transaction().execute(async (db) => {
      await sql`set local role portal_system`.execute(db)
      const users = await db
        .selectFrom('portal_user')
        .select(['id', 'email', 'title', 'row_version'])
        .where('email', 'like', 'c-%@acme.example')
        .execute()
      const usersByEmail = new Map(users.map((user) => [user.email, user]))
      const lostUsers = [...record.users].filter(([email, { title, version }]) => {
        const user = usersByEmail.get(email)
        // The last change of a user may have taken effect although the campaign ended before its response.
        return !user || user.row_version < version || (user.row_version === version && user.title !== title)
      })
      const duplicateIntents = await sql<{ intent: string }>`
        select intent from audit_entry where intent is not null and status = 0
        group by intent, company_id having count(*) > 1`.execute(db)
      const invoices = await sql<{ code: string }>`select code from invoice order by code`.execute(db)
      const paidOrders = await db
        .selectFrom('invoice')
        .select('order_id')
        .where('order_id', 'in', [0, ...record.paidOrders])
        .execute()
      const waitingJobs = await db
        .selectFrom('job')
        .select(['id', 'kind'])
        .where('state', 'in', ['queued', 'running'])
        .execute()
      return {
        faults: [
          ...lostUsers.map(([email]) => `the acknowledged state of ${email} is lost`),
          ...(users.length === usersByEmail.size ? [] : ['a user exists twice']),
          ...duplicateIntents.rows.map(({ intent }) => `the write ${intent} took effect twice`),
          ...findGaps(invoices.rows.map(({ code }) => code)),
          ...(paidOrders.length === record.paidOrders.size ? [] : ['a paid order has no invoice, or two']),
        ],
        lines: [
          `${record.users.size} users acknowledged, ${users.length} in the database`,
          `${invoices.rows.length} invoices from ${invoices.rows[0]?.code} to ${invoices.rows.at(-1)?.code}`,
          `${record.finishedJobs} long requests and ${record.uploads.size} uploads finished; ${waitingJobs.length} jobs wait`,
        ],
      }
    })
  } finally {
    await database.close()
  }
}

/** An invoice code is `I`, the year, the month and a number of six digits, which counts from 1 in each year. */
function findGaps(codes: readonly string[]): string[] {
  const codesByYear = Map.groupBy(codes, (code) => code.slice(1, 5))
  return [...codesByYear].flatMap(([year, yearCodes]) => {
    const numbers = yearCodes.map((code) => Number(code.slice(-6))).toSorted((first, second) => first - second)
    const isWhole = numbers.every((number, index) => number === (numbers[0] ?? 0) + index)
    return isWhole ? [] : [`the invoices of ${year} have a gap or a number twice`]
  })
}

/** A mail may be sent twice only if a node was killed between the mail server's acceptance and the commit: then with one Message-ID. */
export function checkMails(mails: readonly ReceivedMail[]): EndState {
  const repeated = [...Map.groupBy(mails, describeContent).values()].filter((group) => group.length > 1)
  const faults = repeated
    .filter((group) => new Set(group.map(readMessageId)).size > 1)
    .map((group) => `${group.length} mails with one content and different ids to ${group[0]?.to.join()}`)
  const recipients = new Set(mails.flatMap(({ to }) => to))
  return {
    faults,
    lines: [`${mails.length} mails to ${recipients.size} recipients, ${repeated.length} of them sent again`],
  }
}

const readMessageId = ({ data }: ReceivedMail) => /^Message-ID: (.*)$/im.exec(data)?.[1]?.trim() ?? ''

/** Recipients and content, without the headers and the boundaries of parts, which differ for each sending. */
const describeContent = ({ to, data }: ReceivedMail) =>
  [...to, data.slice(data.indexOf('\n\n')).replace(/^--.*$/gm, '')].join('\n')
