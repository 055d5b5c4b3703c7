/** Runs in a worker thread: reads one statement. */
import { parentPort, workerData } from 'node:worker_threads'
import type { StatementFault } from '#domain/checks/statement-faults.ts'
import { readStatement } from '#server/drivers/statements/read-statement.ts'
import { type Statement, StatementError } from '#server/drivers/statements/statement.ts'

export type StatementAnswer = { statement: Statement } | { fault: StatementFault }

function answer(content: string): StatementAnswer {
  try {
    return { statement: readStatement(content) }
  } catch (error) {
    if (error instanceof StatementError) return { fault: error.fault }
    throw error
  }
}

parentPort?.postMessage(answer(String(workerData)))
