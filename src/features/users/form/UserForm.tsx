import { type ComponentType, type ReactNode, Suspense, useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { Link } from 'react-router-dom'
import type { Id } from '#contract/endpoint.ts'
import { fieldProblems, localProblem, type Problem } from '#contract/problem.ts'
import type { UserRow } from '#contract/users.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { lockedFields, type UserFields as UserFieldValues, userStatus } from '#domain/accounts/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import type { Result } from '#request/results.ts'
import { useConnection, useSaveBlocked, useDispatch, useSelector, useSignedIn } from '#state/hooks.ts'
import { resultOf } from '#state/form-thunk.ts'
import { problemOf } from '#state/request-status.ts'
import { FormDrawer } from '#ui/form/FormDrawer.tsx'
import { historyPath } from '#ui/links/history-path.ts'
import { queuedWords } from '#ui/i18n/queued-messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { fieldWords, problemWords } from '#ui/i18n/problem-messages.ts'
import { Conflict } from '#features/users/form/ConflictFields.tsx'
import { UserFields } from '#features/users/form/UserFields.tsx'
import {
  type Changes,
  changesOf,
  checkForm,
  type Field,
  fieldsOf,
  fromValues,
  newFields,
  rebase,
  toValues,
  type Values,
} from '#features/users/form/user-form.ts'
import { currentOf, type Opened, openedNew, unsavedUser } from '#features/users/form/form-base.ts'
import { hasEmailHere } from '#features/users/read-users.ts'
import { usersList } from '#features/users/slice.ts'
import { askTaken, formOpened, save, selectSaving } from '#features/users/form/save-user.ts'

const nothingLocked: ReadonlySet<Field> = new Set()
/** By field: the code, and its words. */
type Wrong = Record<string, { type: string; message: string }>

interface Props {
  opened: Opened
  /** What the form is about, by which it is found again when its user had to sign in anew. */
  place: string
  /** Another way than the page's own, of what the call's body is to be. */
  send?: (body: UserFieldValues | Changes) => Promise<Result<unknown>>
  /** What is to be known of the user before anything is changed. */
  note?: ReactNode
  /** What else is looked after of a user who may log in; needs a line. */
  Beside?: ComponentType<{ id: number; name: string }>
  onClose: () => void
  onSaved: () => void
}

/** Creates or changes a user, with the locks and checks of portal 4 and 5. */
export function UserForm({ opened, place, send, note, Beside, onClose, onSaved }: Props) {
  const { t } = useTranslation('people')
  const { t: users } = useTranslation('users')
  const { t: words } = useTranslation('ui')
  const dispatch = useDispatch()
  const { user, caller } = useSignedIn()
  const { line } = useConnection()
  const blocked = useSaveBlocked()
  const { form: status, intent } = useSelector(selectSaving)
  const [base, setBase] = useState(opened.base)
  const [conflict, setConflict] = useState<{ was: UserRow; now: UserRow } | null>(null)
  const self = base?.row.id === user.id
  const locked = base ? lockedFields(base.row, { self }) : nothingLocked
  const history = base ? historyPath({ code: 'user', name: base.row.email }, caller) : null
  const baseFields = base ? fieldsOf(base.row) : newFields

  const said = (problem: FieldProblem) =>
    fieldWords(problem, problem.field in newFields ? t(`form.${problem.field as 'name' | 'email'}`) : problem.field)
  const errorsOf = (found: FieldProblem[]): Wrong =>
    Object.fromEntries(found.map((one) => [one.field, { type: one.code, message: said(one) }]))
  const wrongFields = (refused: Problem): Wrong =>
    refused.code === 'DUP_USER'
      ? { email: { type: refused.code, message: problemWords(refused) } }
      : errorsOf(fieldProblems(refused).filter(({ field }) => field in newFields))
  const [errors] = useState(() => (opened.parked?.problem ? wrongFields(opened.parked.problem) : {}))

  const { register, handleSubmit, formState, setError, clearErrors, getValues, reset, watch } = useForm<Values>({
    defaultValues: toValues(opened.typed),
    errors,
    resolver: (values) => {
      const found = checkForm(fromValues(values), locked, base?.row.name ?? null)
      return found.length === 0 ? { values, errors: {} } : { values: {}, errors: errorsOf(found) }
    },
  })

  useEffect(() => void dispatch(formOpened(opened.parked)), [dispatch, opened.parked])

  // Said before anything is typed in vain; what stands there already is held until its user is back.
  const problem = blocked ? localProblem(blocked.code) : problemOf(status)
  const typed = fromValues(watch())
  const changes = changesOf(typed, baseFields, locked)
  const unchanged = base !== null && Object.keys(changes).length === 0
  const dirty = base ? !unchanged : formState.isDirty || opened !== openedNew
  unsavedUser.useHolding(
    place,
    dirty ? { base, typed, parked: intent === null ? null : { intent, problem: null } } : null,
  )

  async function checkTaken() {
    const { email } = fromValues(getValues())
    if (base || checkForm({ ...newFields, name: '-', email }, nothingLocked).length > 0) return
    if (line !== 'online') return void (await refuseHere(email))
    const taken = await dispatch(askTaken(email, user.company_code))
    // Another one has been typed meanwhile.
    if (taken && fromValues(getValues()).email === email)
      setError('email', { type: 'DUP_USER', message: t('duplicate') })
  }

  /** Without a connection the device says what the server would say. True: another user has that address. */
  async function refuseHere(email: string): Promise<boolean> {
    const isTaken = await hasEmailHere(caller.companyId, email, intent)
    // Another one may have been typed meanwhile; this one is refused all the same.
    if (isTaken && fromValues(getValues()).email === email)
      setError('email', { type: 'DUP_USER', message: problemWords(localProblem('DUP_USER')) })
    return isTaken
  }

  const submit = handleSubmit(async (values) => {
    const body = fromValues(values)
    if (!base && line !== 'online' && (await refuseHere(body.email))) return
    const own = base ? { opened: base, changes } : { body }
    const result = resultOf(await dispatch(save(send ? { send: () => send(base ? changes : body) } : own)))
    if (result.kind === 'problem') return takeBack(result.problem)
    const id = base ? null : createdId(result)
    tell(result, id, values.name)
    if (id !== null) dispatch(usersList.rowCreated(id))
    onClose()
    if (result.kind !== 'queued') onSaved()
  })

  /** What was refused comes back to the fields it is about, or, changed by somebody else, onto the row as it is now. */
  function takeBack(refused: Problem) {
    const now = base && currentOf(refused)
    setConflict(now && { was: base.row, now })
    if (now) {
      const kept = rebase(fromValues(getValues()), fieldsOf(base.row), fieldsOf(now))
      setBase({ row: now, waiting: null })
      reset(toValues(fieldsOf(now)))
      reset(toValues(kept), { keepDefaultValues: true })
    }
    for (const [field, error] of Object.entries(wrongFields(refused)))
      setError(field as Field, error, { shouldFocus: true })
  }
  function tell(result: Result<unknown>, id: Id | null, name: string) {
    if (result.kind === 'queued') showToast({ kind: 'note', text: queuedWords(result) })
    else if (base) showToast({ kind: 'done', text: words('message.updated') })
    else
      showToast({
        kind: 'done',
        text: words('message.done', { action: users('toast.create') }),
        ...(typeof id === 'number' ? { to: { label: name, path: `/app/user?user=${id}` } } : {}),
      })
  }

  const isFieldProblem = problem?.code === 'DUP_USER' || (problem && fieldProblems(problem).length > 0)
  return (
    <FormDrawer
      open
      title={base ? t('form.editTitle', { name: base.row.name }) : t('form.createTitle')}
      status={status.kind}
      problem={isFieldProblem || conflict ? null : problem}
      failed={
        blocked
          ? undefined
          : base
            ? words('message.updateFailed')
            : words('message.failed', { action: users('toast.create') })
      }
      submit={status.kind === 'sending' ? t('form.saving') : base ? t('form.editSubmit') : t('form.createSubmit')}
      whyNot={blocked ? words(blocked.reason) : unchanged ? t('form.unchanged') : null}
      onSubmit={(event) => void submit(event)}
      onClose={onClose}
      dirty={dirty}
    >
      {note}
      {conflict && <Conflict was={conflict.was} now={conflict.now} />}
      <UserFields
        {...{ base, self, caller, line }}
        register={register}
        errors={formState.errors}
        onEmailChange={() => clearErrors('email')}
        onEmailBlur={() => void checkTaken()}
      />
      {Beside && base && mayLogIn(base, self) && line === 'online' && !blocked && (
        <Suspense fallback={null}>
          <Beside id={base.row.id as number} name={base.row.name} />
        </Suspense>
      )}
      {history !== null && (
        <p className="user-history">
          <Link to={history}>{t('form.history')}</Link>
        </p>
      )}
    </FormDrawer>
  )
}

function createdId(result: Result<unknown>): Id | null {
  if (result.kind === 'queued') return `~${result.intent}`
  // What creates a user is answered with their row; what waited and was sent again, with nothing.
  return result.kind === 'fresh' ? ((result.output as UserRow | null)?.id ?? null) : null
}

/** Who cannot has no sessions, and one's own are looked after in the profile. */
const mayLogIn = ({ row }: OverlaidRow<UserRow>, self: boolean) =>
  !self && typeof row.id === 'number' && row.status === userStatus.activated
