import { describe, expect, it } from 'vitest'
import type { Problem } from '#contract/problem.ts'
import type { UserRow } from '#contract/users.ts'
import { toUserFields, emptyUserFields } from '#features/users/form/user-form.ts'
import {
  type UserFormBase,
  newUserFormBase,
  buildFormBase,
  buildFormBaseOfWrite,
} from '#features/users/form/user-form-base.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { getChanges } from '#patterns/edit-form/form-values.ts'

const intent = '11111111-1111-4111-8111-111111111111'
const storedRow: UserRow = {
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
/** Returns the row with an overlay that changes the name. */
const createOverlaidRow = (
  state: 'waiting' | 'refused' | 'conflict',
  action: 'create' | 'change' = 'change',
): OverlaidRow<UserRow> => ({
  row: { ...storedRow, name: 'Li Wei Ming' },
  waiting: { intent, action, state },
})
const createEntry = (overrides: Partial<EntryView>): EntryView => ({
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
  ...overrides,
})
const getFormChanges = ({ base, values }: UserFormBase) =>
  getChanges(values, base ? toUserFields(base.row) : emptyUserFields)

describe('the base of a user form (buildFormBase)', () => {
  it('is empty for a new user', () =>
    expect(newUserFormBase).toEqual({ base: null, values: emptyUserFields, refusedWrite: null }))

  it('is the row with the waiting writes, and a new write is based on them', () => {
    const formBase = buildFormBase(createOverlaidRow('waiting'), [createEntry({ state: 'waiting', problem: null })])
    expect(formBase.base?.waiting?.intent).toBe(intent)
    expect(getFormChanges(formBase)).toEqual({})
  })

  it('is the stored row with the values of a refused change, and keeps its intent', () => {
    const formBase = buildFormBase(createOverlaidRow('refused'), [createEntry({})])
    expect(formBase.refusedWrite).toEqual({ intent, problem: refusal })
    expect(formBase.base).toEqual({ row: storedRow, waiting: null })
    expect(getFormChanges(formBase)).toEqual({ name: 'Li Wei Ming' })
  })

  it('is the current row of the server for a change in conflict', () => {
    const current = { ...storedRow, order: false, row_version: 4 }
    const problem = { ...refusal, status: 412, code: 'VERSION_CONFLICT', data: { current } }
    const formBase = buildFormBase(createOverlaidRow('conflict'), [createEntry({ state: 'conflict', problem })])
    expect(formBase.base).toEqual({ row: current, waiting: null })
  })

  it('is empty, with the typed values, for a refused new user', () => {
    const newUserEntry = createEntry({ endpoint: 'createUser', action: 'create', target: null, base: null })
    const formBase = buildFormBase(createOverlaidRow('refused', 'create'), [newUserEntry])
    expect(formBase).toMatchObject({ base: null, values: { name: 'Li Wei Ming' }, refusedWrite: { intent } })
  })

  it('does not include a refused action such as disabling', () => {
    const formBase = buildFormBase(createOverlaidRow('refused'), [createEntry({ endpoint: 'disableUser' })])
    expect(formBase.refusedWrite).toBeNull()
  })
})

describe('the base of a user form for a refused write (buildFormBaseOfWrite)', () => {
  const input = { params: { id: 7 }, body: { name: 'Li Wei Ming' } }
  const base = { ...toUserFields(storedRow) }

  it('is the row without the refused write, with the typed values in the fields (protocol 20)', () => {
    const formBase = buildFormBaseOfWrite(
      createEntry({ state: 'refused', problem: refusal, input, base }),
      createOverlaidRow('refused'),
    )
    expect(formBase.base?.row).toEqual(storedRow)
    expect(formBase.values).toEqual({ ...toUserFields(storedRow), name: 'Li Wei Ming' })
    expect(formBase.refusedWrite).toEqual({ intent, problem: refusal })
  })

  it('is the stored base of the form if the row no longer exists', () => {
    const formBase = buildFormBaseOfWrite(createEntry({ state: 'refused', input, base }), null)
    expect(toUserFields((formBase.base as OverlaidRow<UserRow>).row)).toEqual(toUserFields(storedRow))
  })

  it('has only the typed values for a write that creates a user', () => {
    const body = { name: 'Aaron Ng', email: 'ada@acme.example', title: 0 }
    const newUserEntry = createEntry({
      endpoint: 'createUser',
      action: 'create',
      state: 'refused',
      input: { body },
      base: null,
    })
    expect(buildFormBaseOfWrite(newUserEntry, null)).toMatchObject({
      base: null,
      values: { ...emptyUserFields, ...body },
    })
  })
})
