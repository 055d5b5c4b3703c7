import { expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import type { Job } from '#local/storage/records.ts'
import { readStartResponse } from '#request/jobs/job-response.ts'

const job = { intent: 'first', key: 'second' } as Job

it('readStartResponse follows the job that INTENT_DONE names for an earlier start (protocol 1, 13)', () => {
  const location = '/api/request/00000001-0000'
  const answer = { status: 202, headers: { location }, body: { progress_key: 'p' } }
  const response = {
    status: 409,
    headers: new Headers({ [headers.key]: job.key, 'content-type': 'application/json' }),
    text: JSON.stringify({ errorCode: 'INTENT_DONE', errorMessage: '', data: { answer } }),
  }
  expect(readStartResponse(job, response)).toMatchObject({ kind: 'running', location })
  const forgotten = {
    ...response,
    text: JSON.stringify({ errorCode: 'INTENT_DONE', errorMessage: '', data: { answer: null } }),
  }
  expect(readStartResponse(job, forgotten)).toMatchObject({ kind: 'gone' })
})
