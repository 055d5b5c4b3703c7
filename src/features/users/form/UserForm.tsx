import { type ComponentType, type ReactNode, Suspense, useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { Link } from 'react-router-dom'
import type { RowRef } from '#contract/endpoint.ts'
import { getFieldProblems, createLocalProblem, type Problem } from '#contract/problem.ts'
import type { UserRow } from '#contract/users.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { getLockedFields, type UserFields as UserFieldValues, userStatus } from '#domain/accounts/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import type { CallResult } from '#request/call-results.ts'
import { useConnection, useSaveBlocked, useDispatch, useSelector, useSignedInSession } from '#state/use-store.ts'
import { getFormResult } from '#state/form-thunk.ts'
import { getStatusProblem } from '#state/request-status.ts'
import { FormDrawer } from '#ui/form/FormDrawer.tsx'
import { buildHistoryPath } from '#ui/links/history-path.ts'
import { formatQueuedMessage } from '#ui/i18n/queued-messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { formatFieldProblem, formatProblem } from '#ui/i18n/problem-messages.ts'
import { ConflictFields } from '#features/users/form/ConflictFields.tsx'
import { UserFields } from '#features/users/form/UserFields.tsx'
import {
  type UserChanges,
  toUserChanges,
  checkForm,
  type UserField,
  toUserFields,
  fromFormValues,
  emptyUserFields,
  rebaseFields,
  toFormValues,
  type UserFormValues,
} from '#features/users/form/user-form.ts'
import {
  readCurrentUser,
  type UserFormBase,
  newUserFormBase,
  unsavedUserForms,
} from '#features/users/form/user-form-base.ts'
import { hasCachedEmail } from '#features/users/read-users.ts'
import { usersList } from '#features/users/slice.ts'
import { checkEmailTaken, formOpened, saveUser, selectUserSaving } from '#features/users/form/save-user.ts'

const nothingLocked: ReadonlySet<UserField> = new Set()
/** By field: the code, and its words. */
type UserFormErrors = Record<string, { type: string; message: string }>

interface UserFormProps {
  formBase: UserFormBase
  /** What the form is about, by which it is found again when its user had to sign in anew. */
  formKey: string
  /** Another way than the page's own, of what the call's body is to be. */
  send?: (body: UserFieldValues | UserChanges) => Promise<CallResult<unknown>>
  /** What is to be known of the user before anything is changed. */
  note?: ReactNode
  /** What else is looked after of a user who may log in; needs a line. */
  ExtraSections?: ComponentType<{ id: number; name: string }>
  onClose: () => void
  onSaved: () => void
}

/** Creates or changes a user, with the locks and checks of portal 4 and 5. */
export function UserForm({ formBase, formKey, send, note, ExtraSections, onClose, onSaved }: UserFormProps) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  const { t: tUi } = useTranslation('ui')
  const dispatch = useDispatch()
  const { user, caller } = useSignedInSession()
  const { networkState: connection } = useConnection()
  const saveBlock = useSaveBlocked()
  const { form: status, intent } = useSelector(selectUserSaving)
  const [base, setBase] = useState(formBase.base)
  const [conflict, setConflict] = useState<{ previousRow: UserRow; currentRow: UserRow } | null>(null)
  const isSelf = base?.row.id === user.id
  const lockedFieldNames = base ? getLockedFields(base.row, { isSelf }) : nothingLocked
  const trailPath = base ? buildHistoryPath({ code: 'user', name: base.row.email }, caller) : null
  const baseFields = base ? toUserFields(base.row) : emptyUserFields

  const toProblemText = (fieldProblem: FieldProblem) =>
    formatFieldProblem(
      fieldProblem,
      fieldProblem.field in emptyUserFields ? t(`form.${fieldProblem.field as 'name' | 'email'}`) : fieldProblem.field,
    )
  const toFieldErrors = (fieldProblems: FieldProblem[]): UserFormErrors =>
    Object.fromEntries(
      fieldProblems.map((fieldProblem) => [
        fieldProblem.field,
        { type: fieldProblem.code, message: toProblemText(fieldProblem) },
      ]),
    )
  const toRefusalErrors = (refusal: Problem): UserFormErrors =>
    refusal.code === 'DUP_USER'
      ? { email: { type: refusal.code, message: formatProblem(refusal) } }
      : toFieldErrors(getFieldProblems(refusal).filter(({ field }) => field in emptyUserFields))
  const [errors] = useState(() =>
    formBase.refusedWrite?.problem ? toRefusalErrors(formBase.refusedWrite.problem) : {},
  )

  const { register, handleSubmit, formState, setError, clearErrors, getValues, reset, watch } = useForm<UserFormValues>(
    {
      defaultValues: toFormValues(formBase.values),
      errors,
      resolver: (values) => {
        const formProblems = checkForm(fromFormValues(values), lockedFieldNames, base?.row.name ?? null)
        return formProblems.length === 0 ? { values, errors: {} } : { values: {}, errors: toFieldErrors(formProblems) }
      },
    },
  )

  useEffect(() => void dispatch(formOpened(formBase.refusedWrite)), [dispatch, formBase.refusedWrite])

  // Said before anything is typed in vain; what stands there already is held until its user is back.
  const problem = saveBlock ? createLocalProblem(saveBlock.code) : getStatusProblem(status)
  const currentFields = fromFormValues(watch())
  const changes = toUserChanges(currentFields, baseFields, lockedFieldNames)
  const isUnchanged = base !== null && Object.keys(changes).length === 0
  const isDirty = base ? !isUnchanged : formState.isDirty || formBase !== newUserFormBase
  unsavedUserForms.useKeepUnsavedForm(
    formKey,
    isDirty ? { base, values: currentFields, refusedWrite: intent === null ? null : { intent, problem: null } } : null,
  )

  async function handleEmailBlur() {
    const { email } = fromFormValues(getValues())
    if (base || checkForm({ ...emptyUserFields, name: '-', email }, nothingLocked).length > 0) return
    if (connection !== 'online') return void (await refuseTakenEmail(email))
    const isEmailTaken = await dispatch(checkEmailTaken(email, user.company_code))
    // Another one has been typed meanwhile.
    if (isEmailTaken && fromFormValues(getValues()).email === email)
      setError('email', { type: 'DUP_USER', message: t('duplicate') })
  }

  /** Without a connection the device says what the server would say. True: another user has that address. */
  async function refuseTakenEmail(email: string): Promise<boolean> {
    const isTaken = await hasCachedEmail(caller.companyId, email, intent)
    // Another one may have been typed meanwhile; this one is refused all the same.
    if (isTaken && fromFormValues(getValues()).email === email)
      setError('email', { type: 'DUP_USER', message: formatProblem(createLocalProblem('DUP_USER')) })
    return isTaken
  }

  const submit = handleSubmit(async (values) => {
    const body = fromFormValues(values)
    if (!base && connection !== 'online' && (await refuseTakenEmail(body.email))) return
    const writeRequest = base ? { initialRow: base, changes } : { body }
    const result = getFormResult(
      await dispatch(saveUser(send ? { send: () => send(base ? changes : body) } : writeRequest)),
    )
    if (result.kind === 'problem') return handleRefusal(result.problem)
    const id = base ? null : createdId(result)
    showSaved(result, id, values.name)
    if (id !== null) dispatch(usersList.rowCreated(id))
    onClose()
    if (result.kind !== 'queued') onSaved()
  })

  /** What was refused comes back to the fields it is about, or, changed by somebody else, onto the row as it is now. */
  function handleRefusal(refusal: Problem) {
    const serverRow = base && readCurrentUser(refusal)
    setConflict(serverRow && { previousRow: base.row, currentRow: serverRow })
    if (serverRow) {
      const mergedFields = rebaseFields(fromFormValues(getValues()), toUserFields(base.row), toUserFields(serverRow))
      setBase({ row: serverRow, waiting: null })
      reset(toFormValues(toUserFields(serverRow)))
      reset(toFormValues(mergedFields), { keepDefaultValues: true })
    }
    for (const [field, error] of Object.entries(toRefusalErrors(refusal)))
      setError(field as UserField, error, { shouldFocus: true })
  }
  function showSaved(result: CallResult<unknown>, id: RowRef | null, name: string) {
    if (result.kind === 'queued') showToast({ kind: 'note', text: formatQueuedMessage(result) })
    else if (base) showToast({ kind: 'done', text: tUi('message.updated') })
    else
      showToast({
        kind: 'done',
        text: tUi('message.done', { action: tUsers('toast.create') }),
        ...(typeof id === 'number' ? { link: { label: name, path: `/app/user?user=${id}` } } : {}),
      })
  }

  const isFieldProblem = problem?.code === 'DUP_USER' || (problem && getFieldProblems(problem).length > 0)
  return (
    <FormDrawer
      open
      title={base ? t('form.editTitle', { name: base.row.name }) : t('form.createTitle')}
      status={status.kind}
      problem={isFieldProblem || conflict ? null : problem}
      failureTitle={
        saveBlock
          ? undefined
          : base
            ? tUi('message.updateFailed')
            : tUi('message.failed', { action: tUsers('toast.create') })
      }
      submitLabel={status.kind === 'sending' ? t('form.saving') : base ? t('form.editSubmit') : t('form.createSubmit')}
      disabledReason={saveBlock ? tUi(saveBlock.reason) : isUnchanged ? t('form.unchanged') : null}
      onSubmit={(event) => void submit(event)}
      onClose={onClose}
      isDirty={isDirty}
    >
      {note}
      {conflict && <ConflictFields previousRow={conflict.previousRow} currentRow={conflict.currentRow} />}
      <UserFields
        {...{ base, isSelf, caller, connection }}
        register={register}
        errors={formState.errors}
        onEmailChange={() => clearErrors('email')}
        onEmailBlur={() => void handleEmailBlur()}
      />
      {ExtraSections && base && canLogIn(base, isSelf) && connection === 'online' && !saveBlock && (
        <Suspense fallback={null}>
          <ExtraSections id={base.row.id as number} name={base.row.name} />
        </Suspense>
      )}
      {trailPath !== null && (
        <p className="user-history">
          <Link to={trailPath}>{t('form.history')}</Link>
        </p>
      )}
    </FormDrawer>
  )
}

function createdId(result: CallResult<unknown>): RowRef | null {
  if (result.kind === 'queued') return `~${result.intent}`
  // What creates a user is answered with their row; what waited and was sent again, with nothing.
  return result.kind === 'fresh' ? ((result.output as UserRow | null)?.id ?? null) : null
}

/** Who cannot has no sessions, and one's own are looked after in the profile. */
const canLogIn = ({ row }: OverlaidRow<UserRow>, isSelf: boolean) =>
  !isSelf && typeof row.id === 'number' && row.status === userStatus.activated
