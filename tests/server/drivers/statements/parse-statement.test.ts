/** Tests that hostile and huge statements neither stall the server nor stay unanswered. */
import { describe, expect, it } from 'vitest'
import { maxStatementSize } from '#contract/staff/bank-transfers.ts'
import { parseStatement } from '#server/drivers/statements/parse-statement.ts'
import { StatementError } from '#server/drivers/statements/statement.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

const fill = (start: string, part: string) =>
  (start + part.repeat(Math.ceil((maxStatementSize - start.length) / part.length))).slice(0, maxStatementSize)
const camt = '<Document><BkToCstmrStmt><Stmt>'
const head = 'Date,Amount,Currency,Text\n'

const readCode = (content: string, limits: object = {}) =>
  parseStatement(content, limits).then(
    ({ entries }) => entries.length,
    (error: unknown) => (error instanceof StatementError ? error.fault.code : error),
  )

describe('reading a statement', () => {
  it.each([
    [
      'nested entities',
      fill('<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">', '<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'),
      'BAD_XML',
    ],
    ['deep nesting', fill('<Document><BkToCstmrStmt>', '<a>'), 'TOO_DEEP'],
    ['many elements', fill(`${camt}<Ntry>`, '<a></a>'), 'BAD_XML'],
    ['many attributes', fill(`${camt}<Ntry><Amt `, 'aa="1" '), 'BAD_XML'],
    ['one long text', fill(`${camt}<Ntry><Amt>`, 'x'), 'BAD_XML'],
    ['one long attribute', fill(`${camt}<Ntry><Amt a="`, 'x'), 'BAD_XML'],
    ['one long name', fill('<', 'x'), 'BAD_XML'],
    ['one long comment', fill('<!--', '-'), 'BAD_XML'],
    ['many references', fill(`${camt}<Ntry><Amt>`, '&amp;'), 'BAD_XML'],
    ['one open quotation mark', fill(`${head}"`, 'x'), 'BAD_QUOTES'],
    ['one line of commas', fill(head, ','), 0],
    ['empty lines', fill(head, '\n'), 0],
    ['commas without a head', fill('', ','), 'UNKNOWN_FORMAT'],
    ['short rows', fill(head, '1,1,1,1\n'), 'TOO_MANY_ENTRIES'],
    ['one long amount', `${head}2026-11-30,${'1'.repeat(90_000)},HKD,x`, 'BAD_AMOUNT'],
    ['one long date', `${head}${'1/'.repeat(40_000)},1.00,HKD,x`, 'BAD_DATE'],
  ])('answers for %s, and answers others meanwhile', async (_, content, expected) => {
    let turnCount = 0
    let isRead = false
    const countTurns = () => {
      turnCount += 1
      if (!isRead) setImmediate(countTurns)
    }
    setImmediate(countTurns)
    expect(await readCode(content)).toBe(expected)
    isRead = true
    // In this thread, the file would be read in one turn of the event loop.
    expect(turnCount).toBeGreaterThan(20)
  })

  it('ends a file that takes too long or too much memory, and reads the next one', async () => {
    const content = fill(head, '2026-11-30,1.00,HKD,some text that makes it longer and longer and longer and longer\n')
    expect(await readCode(content, { wallMs: 1 })).toBe('TOO_COMPLEX')
    expect(await readCode(fill(head, `2026-11-30,1.00,HKD,${'x'.repeat(300)}\n`), { heapMb: 8 })).toBe('TOO_COMPLEX')
    expect(await readCode(`${head}2026-11-30,1.00,HKD,x`)).toBe(1)
  })

  it('refuses more files than may wait, with a time', async () => {
    const codes = await Promise.all(
      Array.from({ length: 3 }, () => readCode(`${head}2026-11-30,1.00,HKD,x`, { files: 2 })),
    )
    expect(codes.filter((code) => code === 1)).toHaveLength(2)
    expect(codes.find((code) => code instanceof ProblemError)).toMatchObject({
      code: 'UNAVAILABLE',
      retryAfterSeconds: 5,
    })
  })
})
