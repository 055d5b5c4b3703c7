import { describe, expect, it } from 'vitest'
import type { Problem } from '#contract/problem.ts'
import type { UserRow } from '#contract/users.ts'
import { changesOf, fieldsOf, newFields } from '#features/users/form/user-form.ts'
import { type Opened, openedNew, openedOn, openedToMend } from '#features/users/form/form-base.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'

const intent = '11111111-1111-4111-8111-111111111111'
const stored: UserRow = {
  id: 7,
  name: 'Li Wei',
  email: 'li@acme.example',
  title: 1,
  admin: false,
  order: true,
  alert: false,
  status: 0,
  avatar: null,
  language: 'en',
  access_level: 0,
  company_id: 2,
  company_name: 'Acme',
  company_code: 'acme',
  create_time: '2026-01-01 00:00:00',
  update_time: '2026-01-02 00:00:00',
  row_version: 3,
}
const refusal: Problem = { status: 409, code: 'STATE_CONFLICT', message: '', data: null, requestId: null }
/** The row with the name that was wished laid over it. */
const shown = (
  state: 'waiting' | 'refused' | 'conflict',
  action: 'create' | 'change' = 'change',
): OverlaidRow<UserRow> => ({
  row: { ...stored, name: 'Li Wei Ming' },
  waiting: { intent, action, state },
})
const entry = (given: Partial<EntryView>): EntryView => ({
  intent,
  key: 'k1',
  queueKey: 'user:7',
  dependsOn: [],
  endpoint: 'updateCompanyUser',
  table: 'users',
  target: 7,
  action: 'change',
  state: 'refused',
  since: 1,
  attempts: 1,
  problem: refusal,
  base: { name: 'Li Wei' },
  input: { params: { id: 7 }, body: { name: 'Li Wei Ming' } },
  ...given,
})
const changes = ({ base, typed }: Opened) => changesOf(typed, base ? fieldsOf(base.row) : newFields, new Set())

describe('the form opens', () => {
  it('empty for a new user', () => expect(openedNew).toEqual({ base: null, typed: newFields, parked: null }))

  it('on the row as it is shown, own waiting writes included, and chains on them', () => {
    const opened = openedOn(shown('waiting'), [entry({ state: 'waiting', problem: null })])
    expect(opened.base?.waiting?.intent).toBe(intent)
    expect(changes(opened)).toEqual({})
  })

  it('on a refused change with what was wished still in it, to be sent as the same wish', () => {
    const opened = openedOn(shown('refused'), [entry({})])
    expect(opened.parked).toEqual({ intent, problem: refusal })
    expect(opened.base).toEqual({ row: stored, waiting: null })
    expect(changes(opened)).toEqual({ name: 'Li Wei Ming' })
  })

  it('on a change in conflict with the row as it is now beneath it', () => {
    const current = { ...stored, order: false, row_version: 4 }
    const problem = { ...refusal, status: 412, code: 'VERSION_CONFLICT', data: { current } }
    const opened = openedOn(shown('conflict'), [entry({ state: 'conflict', problem })])
    expect(opened.base).toEqual({ row: current, waiting: null })
  })

  it('on a refused new user as on one that is being made', () => {
    const made = entry({ endpoint: 'createUser', action: 'create', target: null, base: null })
    const opened = openedOn(shown('refused', 'create'), [made])
    expect(opened).toMatchObject({ base: null, typed: { name: 'Li Wei Ming' }, parked: { intent } })
  })

  it('on a row whose move was refused without taking that move for its own', () => {
    const opened = openedOn(shown('refused'), [entry({ endpoint: 'disableUser' })])
    expect(opened.parked).toBeNull()
  })
})

describe('a refused write that is mended where it waits', () => {
  const asked = { params: { id: 7 }, body: { name: 'Li Wei Ming' } }
  const base = { ...fieldsOf(stored) }

  it('opens on the row without it, with what was typed in the fields (protocol 20)', () => {
    const opened = openedToMend(entry({ state: 'refused', problem: refusal, input: asked, base }), shown('refused'))
    expect(opened.base?.row).toEqual(stored)
    expect(opened.typed).toEqual({ ...fieldsOf(stored), name: 'Li Wei Ming' })
    expect(opened.parked).toEqual({ intent, problem: refusal })
  })

  it('opens on what its form had noted where the row has gone', () => {
    const opened = openedToMend(entry({ state: 'refused', input: asked, base }), null)
    expect(fieldsOf((opened.base as OverlaidRow<UserRow>).row)).toEqual(fieldsOf(stored))
  })

  it('that makes a user opens on nothing but what was typed', () => {
    const body = { name: 'Aaron Ng', email: 'ada@acme.example', title: 0 }
    const made = entry({ endpoint: 'createUser', action: 'create', state: 'refused', input: { body }, base: null })
    expect(openedToMend(made, null)).toMatchObject({ base: null, typed: { ...newFields, ...body } })
  })
})
