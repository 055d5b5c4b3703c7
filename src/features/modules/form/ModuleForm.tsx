import { type FormEvent, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useNavigate } from 'react-router-dom'
import { getCurrentRow } from '#contract/current-row.ts'
import type { RowRef } from '#contract/endpoint.ts'
import type { ModuleRow } from '#contract/modules.ts'
import { getFieldProblems, createLocalProblem, type Problem } from '#contract/problem.ts'
import { checkModule, type ModuleProblem } from '#domain/checks/module-checks.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import type { CallResult } from '#request/call-results.ts'
import { getFormResult } from '#state/form-thunk.ts'
import { useDispatch, useSaveBlocked, useSelector } from '#state/use-store.ts'
import { getStatusProblem } from '#state/request-status.ts'
import { createUnsavedForms } from '#state/unsaved-forms.ts'
import { RadioField } from '#ui/form/choice-fields.tsx'
import { ConflictNote } from '#ui/form/ConflictNote.tsx'
import { Field } from '#ui/form/Field.tsx'
import { PageForm } from '#ui/form/PageForm.tsx'
import { formatOrderFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { formatQueuedMessage } from '#ui/i18n/queued-messages.ts'
import { PendingMark } from '#ui/list/PendingMark.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { MacBanner } from '#ui/page/MacBanner.tsx'
import { Page } from '#ui/page/Page.tsx'
import { useTranslation } from 'react-i18next'
import { AppsField } from '#features/modules/form/AppsField.tsx'
import { JoinedContracts } from '#features/modules/form/JoinedContracts.tsx'
import { ModulesField } from '#features/modules/form/ModulesField.tsx'
import {
  toModuleBody,
  toModuleChanges,
  type ModuleField as FieldName,
  emptyModuleValues,
  rebaseValues,
  type ModuleValues,
  toModuleValues,
} from '#features/modules/form/module-form.ts'
import { formOpened, saveModule, selectModuleSaving } from '#features/modules/form/save-module.ts'
import { ModuleStyles } from '#features/modules/ModuleStyles.tsx'
import { type ModuleKind, toModulePath } from '#features/modules/module-path.ts'
import { hiddenModulesList, modulesList } from '#features/modules/slice.ts'
import { useCatalogue } from '#features/modules/useCatalogue.ts'

/** A form whose user has to sign in again goes on where it was. */
const unsavedForms = createUnsavedForms<{ base: OverlaidRow<ModuleRow> | null; values: ModuleValues }>()

type FieldMessages = Partial<Record<string, string>>

/** Makes or changes a module: the checks of contracts 5 here and in the server, what it brings along shown beside it. */
export function ModuleForm({ kind, initialRow }: { kind: ModuleKind; initialRow: OverlaidRow<ModuleRow> | null }) {
  const { t } = useTranslation('modules')
  const { t: tUi } = useTranslation('ui')
  const dispatch = useDispatch()
  const navigate = useNavigate()
  const formRef = useRef<HTMLDivElement>(null)
  const { form: status } = useSelector(selectModuleSaving)
  const saveBlock = useSaveBlocked()
  const { type: selectedType, modules, apps, isComplete: isCatalogueComplete } = useCatalogue()
  const formKey = `${kind} ${initialRow?.row.id ?? 'new'}`
  const restoredForm = unsavedForms.useUnsavedForm(formKey)
  const [base, setBase] = useState(restoredForm ? restoredForm.base : initialRow)
  const baseValues = base ? toModuleValues(base.row) : emptyModuleValues
  const [values, setValues] = useState<ModuleValues>(restoredForm?.values ?? baseValues)
  const [messages, setMessages] = useState<FieldMessages>({})
  const [conflict, setConflict] = useState<{ previousRow: ModuleRow; currentRow: ModuleRow } | null>(null)
  useEffect(() => void dispatch(formOpened()), [dispatch])

  const isHidden = kind === 'hidden'
  const type = base?.row.type ?? selectedType
  const otherModules = (modules ?? []).filter(({ code }) => code !== baseValues.code || code === '')
  const changes = toModuleChanges(values, baseValues)
  const isDirty = Object.keys(changes).length > 0
  unsavedForms.useKeepUnsavedForm(formKey, isDirty ? { base, values } : null)
  // Said before anything is typed in vain; what stands there already is held until its user is back.
  const problem = saveBlock ? createLocalProblem(saveBlock.code) : getStatusProblem(status)

  const changeValues = (change: Partial<ModuleValues>) => {
    setValues((current) => ({ ...current, ...change }))
    setMessages((current) => Object.fromEntries(Object.entries(current).filter(([field]) => !(field in change))))
  }
  const toProblemText = (moduleProblem: ModuleProblem) =>
    moduleProblem.code === 'INVALID_FORMAT'
      ? t('form.codeWrong')
      : formatOrderFieldProblem(moduleProblem, t(`form.${moduleProblem.field as FieldName}`), values.code)
  const toMessages = (foundProblems: readonly ModuleProblem[]): FieldMessages =>
    Object.fromEntries(
      foundProblems.toReversed().map((moduleProblem) => [moduleProblem.field, toProblemText(moduleProblem)]),
    )
  const checkValues = () => {
    const code = isHidden && values.code === '' ? null : values.code
    const flagsByApp = apps && isCatalogueComplete ? new Map(apps.map((app) => [app.code, app.flag])) : null
    // Without the whole catalogue here only the server can say what there is none of.
    const foundProblems = checkModule(
      { ...values, code, hidden: isHidden },
      otherModules,
      'apps' in changes || !base ? flagsByApp : null,
      base?.row.name ?? null,
    )
    return isCatalogueComplete
      ? foundProblems
      : foundProblems.filter((moduleProblem) => moduleProblem.code !== 'MODULE_UNKNOWN')
  }
  function showMessages(newMessages: FieldMessages) {
    flushSync(() => setMessages(newMessages))
    formRef.current?.querySelector<HTMLElement>('[aria-invalid=true], .wrong input, .wrong button')?.focus()
  }
  // Checked when its field is left, and once more when the rest of the catalogue is here.
  const [isCodeLeft, setCodeLeft] = useState(false)
  const codeProblem = isCodeLeft && values.code !== '' ? checkValues().find(({ field }) => field === 'code') : undefined

  async function submit(event: FormEvent) {
    event.preventDefault()
    const foundProblems = checkValues()
    if (foundProblems.length > 0) return showMessages(toMessages(foundProblems))
    const request = base ? { initialRow: base, changes } : { body: toModuleBody(values, { hidden: isHidden, type }) }
    const result = getFormResult(await dispatch(saveModule(request)))
    if (result.kind === 'problem') return handleRefusal(result.problem)
    if (result.kind === 'queued') showToast({ kind: 'note', text: formatQueuedMessage(result) })
    else
      showToast({
        kind: 'done',
        text: base ? tUi('message.updated') : tUi('message.done', { action: t('act.create') }),
      })
    const id = base ? null : createdId(result)
    if (id !== null) dispatch((isHidden ? hiddenModulesList : modulesList).rowCreated(id))
    // Nothing is left to lose, and the guard must know it before the way is gone.
    flushSync(() => setValues(baseValues))
    void navigate(toModulePath(kind))
  }

  /** What was refused comes back to the fields it is about, or, changed by somebody else, onto the row as it is now. */
  function handleRefusal(refusal: Problem) {
    const serverRow = base && (getCurrentRow(refusal) as ModuleRow | null)
    setConflict(serverRow && { previousRow: base.row, currentRow: serverRow })
    if (serverRow) {
      setBase({ row: serverRow, waiting: null })
      setValues(rebaseValues(values, baseValues, toModuleValues(serverRow)))
    }
    const foundProblems = getFieldProblems(refusal) as ModuleProblem[]
    if (foundProblems.length > 0) showMessages(toMessages(foundProblems))
  }

  const refusedFields = problem ? getFieldProblems(problem) : []
  const isFieldProblem = refusedFields.length > 0 && refusedFields.every(({ field }) => field in emptyModuleValues)
  return (
    <Page
      title={base ? t('form.edit', { name: base.row.name }) : t(`create.${kind}`)}
      crumbs={[{ label: t(`title.${kind}`), to: toModulePath(kind) }]}
      intro={t(`form.lead.${kind}`)}
      width="narrow"
    >
      <ModuleStyles />
      <MacBanner />
      <div ref={formRef}>
        <PageForm
          status={status.kind}
          problem={isFieldProblem || conflict ? null : problem}
          failureTitle={
            saveBlock ? undefined : tUi(base ? 'message.updateFailed' : 'message.failed', { action: t('act.create') })
          }
          submitLabel={status.kind === 'sending' ? t('form.saving') : t(base ? 'form.save' : 'form.create')}
          disabledReason={saveBlock ? tUi(saveBlock.reason) : base && !isDirty ? t('form.unchanged') : null}
          onSubmit={(event) => void submit(event)}
          onCancel={() => void navigate(toModulePath(kind))}
          isDirty={isDirty}
        >
          {base?.waiting && (
            <p>
              <PendingMark {...base.waiting} />
            </p>
          )}
          {conflict && <ConflictNote title={t('form.conflict')} differences={differences(conflict)} />}
          {base ? (
            <Field label={t('form.code')} value={values.code || t('codeLater')} lockReason={t('form.codeLocked')} />
          ) : (
            <Field
              size="code"
              label={t('form.code')}
              name="code"
              optional={isHidden}
              help={t(isHidden ? 'form.codeHelpHidden' : 'form.codeHelp')}
              error={messages.code ?? (codeProblem && toProblemText(codeProblem))}
              maxLength={60}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={values.code}
              onChange={({ target }) => {
                setCodeLeft(false)
                changeValues({ code: target.value.trim() })
              }}
              onBlur={() => setCodeLeft(true)}
            />
          )}
          <Field
            label={t('form.name')}
            name="name"
            error={messages.name}
            maxLength={100}
            autoComplete="off"
            value={values.name}
            onChange={({ target }) => changeValues({ name: target.value })}
          />
          {isHidden && (
            <>
              <ModulesField
                name="conditions"
                modules={otherModules.filter((otherModule) => !otherModule.hidden)}
                selectedCodes={values.conditions}
                error={messages.conditions}
                onChange={(conditions) => changeValues({ conditions })}
              />
              <RadioField
                label={t('form.any')}
                name="any_condition"
                options={[
                  { value: 'all', label: t('form.anyNo') },
                  { value: 'any', label: t('form.anyYes') },
                ]}
                selectedValue={values.any_condition ? 'any' : 'all'}
                onChange={({ target }) => changeValues({ any_condition: target.value === 'any' })}
              />
              <JoinedContracts type={type} conditions={values.conditions} isAnyCondition={values.any_condition} />
            </>
          )}
          <ModulesField
            name="dependencies"
            modules={otherModules}
            selectedCodes={values.dependencies}
            error={messages.dependencies}
            onChange={(dependencies) => changeValues({ dependencies })}
          />
          <AppsField
            apps={apps}
            selectedApps={values.apps}
            error={messages.apps}
            isOptional={!isHidden}
            onChange={(selectedApps) => changeValues({ apps: selectedApps })}
          />
        </PageForm>
      </div>
    </Page>
  )

  function differences({ previousRow, currentRow }: { previousRow: ModuleRow; currentRow: ModuleRow }) {
    const serverChanges = toModuleChanges(toModuleValues(currentRow), toModuleValues(previousRow))
    return Object.entries(serverChanges).map(([field, value]) => ({
      label: t(`form.${field as FieldName}`),
      value: formatFieldValue(value),
    }))
  }
  function formatFieldValue(value: ModuleValues[FieldName] | undefined): string {
    if (typeof value === 'boolean') return t(value ? 'form.anyYes' : 'form.anyNo')
    if (typeof value === 'string') return value
    return (value ?? []).map((item) => (typeof item === 'string' ? item : item.code)).join(', ')
  }
}

function createdId(result: CallResult<unknown>): RowRef | null {
  if (result.kind === 'queued') return `~${result.intent}`
  return result.kind === 'fresh' ? ((result.output as ModuleRow | null)?.id ?? null) : null
}
