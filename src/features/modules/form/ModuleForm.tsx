import { type FormEvent, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useNavigate } from 'react-router-dom'
import { currentIn } from '#contract/conflict.ts'
import type { Id } from '#contract/endpoint.ts'
import type { ModuleRow } from '#contract/modules.ts'
import { fieldProblems, localProblem, type Problem } from '#contract/problem.ts'
import { checkModule, type ModuleProblem } from '#domain/checks/module-checks.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import type { Result } from '#request/results.ts'
import { resultOf } from '#state/form-thunk.ts'
import { useDispatch, useSaveBlocked, useSelector } from '#state/hooks.ts'
import { problemOf } from '#state/request-status.ts'
import { createUnsaved } from '#state/unsaved-forms.ts'
import { RadioField } from '#ui/form/ChoiceFields.tsx'
import { ConflictNote } from '#ui/form/ConflictNote.tsx'
import { Field } from '#ui/form/Field.tsx'
import { PageForm } from '#ui/form/PageForm.tsx'
import { orderFieldWords } from '#ui/i18n/order-field-messages.ts'
import { queuedWords } from '#ui/i18n/queued-messages.ts'
import { PendingMark } from '#ui/list/PendingMark.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { MacBanner } from '#ui/page/MacBanner.tsx'
import { Page } from '#ui/page/Page.tsx'
import { useTranslation } from 'react-i18next'
import { AppsField } from '#features/modules/form/AppsField.tsx'
import { JoinedContracts } from '#features/modules/form/JoinedContracts.tsx'
import { ModulesField } from '#features/modules/form/ModulesField.tsx'
import {
  bodyOf,
  changesOf,
  type Field as FieldName,
  newValues,
  rebase,
  type Values,
  valuesOf,
} from '#features/modules/form/module-form.ts'
import { formOpened, save, selectSaving } from '#features/modules/form/save-module.ts'
import { Sheet } from '#features/modules/ModuleStyles.tsx'
import { type Kind, pathOf } from '#features/modules/paths.ts'
import { hiddenModulesList, modulesList } from '#features/modules/slice.ts'
import { useCatalogue } from '#features/modules/useCatalogue.ts'

/** A form whose user has to sign in again goes on where it was. */
const unsaved = createUnsaved<{ base: OverlaidRow<ModuleRow> | null; typed: Values }>()

type Wrong = Partial<Record<string, string>>

/** Makes or changes a module: the checks of contracts 5 here and in the server, what it brings along shown beside it. */
export function ModuleForm({ kind, opened }: { kind: Kind; opened: OverlaidRow<ModuleRow> | null }) {
  const { t } = useTranslation('modules')
  const { t: words } = useTranslation('ui')
  const dispatch = useDispatch()
  const navigate = useNavigate()
  const form = useRef<HTMLDivElement>(null)
  const { form: status } = useSelector(selectSaving)
  const blocked = useSaveBlocked()
  const { type: chosenType, modules, apps, whole } = useCatalogue()
  const place = `${kind} ${opened?.row.id ?? 'new'}`
  const held = unsaved.useHeld(place)
  const [base, setBase] = useState(held ? held.base : opened)
  const before = base ? valuesOf(base.row) : newValues
  const [typed, setTyped] = useState<Values>(held?.typed ?? before)
  const [wrong, setWrong] = useState<Wrong>({})
  const [conflict, setConflict] = useState<{ was: ModuleRow; now: ModuleRow } | null>(null)
  useEffect(() => void dispatch(formOpened()), [dispatch])

  const hidden = kind === 'hidden'
  const type = base?.row.type ?? chosenType
  const others = (modules ?? []).filter(({ code }) => code !== before.code || code === '')
  const changes = changesOf(typed, before)
  const dirty = Object.keys(changes).length > 0
  unsaved.useHolding(place, dirty ? { base, typed } : null)
  // Said before anything is typed in vain; what stands there already is held until its user is back.
  const problem = blocked ? localProblem(blocked.code) : problemOf(status)

  const set = (change: Partial<Values>) => {
    setTyped((now) => ({ ...now, ...change }))
    setWrong((now) => Object.fromEntries(Object.entries(now).filter(([field]) => !(field in change))))
  }
  const said = (one: ModuleProblem) =>
    one.code === 'INVALID_FORMAT'
      ? t('form.codeWrong')
      : orderFieldWords(one, t(`form.${one.field as FieldName}`), typed.code)
  const wrongOf = (found: readonly ModuleProblem[]): Wrong =>
    Object.fromEntries(found.toReversed().map((one) => [one.field, said(one)]))
  const check = () => {
    const code = hidden && typed.code === '' ? null : typed.code
    const known = apps && whole ? new Map(apps.map((app) => [app.code, app.flag])) : null
    // Without the whole catalogue here only the server can say what there is none of.
    const found = checkModule(
      { ...typed, code, hidden },
      others,
      'apps' in changes || !base ? known : null,
      base?.row.name ?? null,
    )
    return whole ? found : found.filter((one) => one.code !== 'MODULE_UNKNOWN')
  }
  function show(found: Wrong) {
    flushSync(() => setWrong(found))
    form.current?.querySelector<HTMLElement>('[aria-invalid=true], .wrong input, .wrong button')?.focus()
  }
  // Checked when its field is left, and once more when the rest of the catalogue is here.
  const [isCodeLeft, setCodeLeft] = useState(false)
  const wrongCode = isCodeLeft && typed.code !== '' ? check().find(({ field }) => field === 'code') : undefined

  async function submit(event: FormEvent) {
    event.preventDefault()
    const found = check()
    if (found.length > 0) return show(wrongOf(found))
    const write = base ? { opened: base, changes } : { body: bodyOf(typed, { hidden, type }) }
    const result = resultOf(await dispatch(save(write)))
    if (result.kind === 'problem') return takeBack(result.problem)
    if (result.kind === 'queued') showToast({ kind: 'note', text: queuedWords(result) })
    else
      showToast({
        kind: 'done',
        text: base ? words('message.updated') : words('message.done', { action: t('act.create') }),
      })
    const id = base ? null : createdId(result)
    if (id !== null) dispatch((hidden ? hiddenModulesList : modulesList).rowCreated(id))
    // Nothing is left to lose, and the guard must know it before the way is gone.
    flushSync(() => setTyped(before))
    void navigate(pathOf(kind))
  }

  /** What was refused comes back to the fields it is about, or, changed by somebody else, onto the row as it is now. */
  function takeBack(refused: Problem) {
    const now = base && (currentIn(refused) as ModuleRow | null)
    setConflict(now && { was: base.row, now })
    if (now) {
      setBase({ row: now, waiting: null })
      setTyped(rebase(typed, before, valuesOf(now)))
    }
    const found = fieldProblems(refused) as ModuleProblem[]
    if (found.length > 0) show(wrongOf(found))
  }

  const refused = problem ? fieldProblems(problem) : []
  const isFieldProblem = refused.length > 0 && refused.every(({ field }) => field in newValues)
  return (
    <Page
      title={base ? t('form.edit', { name: base.row.name }) : t(`create.${kind}`)}
      crumbs={[{ label: t(`title.${kind}`), to: pathOf(kind) }]}
      intro={t(`form.lead.${kind}`)}
      width="narrow"
    >
      <Sheet />
      <MacBanner />
      <div ref={form}>
        <PageForm
          status={status.kind}
          problem={isFieldProblem || conflict ? null : problem}
          failed={
            blocked ? undefined : words(base ? 'message.updateFailed' : 'message.failed', { action: t('act.create') })
          }
          submit={status.kind === 'sending' ? t('form.saving') : t(base ? 'form.save' : 'form.create')}
          whyNot={blocked ? words(blocked.reason) : base && !dirty ? t('form.unchanged') : null}
          onSubmit={(event) => void submit(event)}
          onCancel={() => void navigate(pathOf(kind))}
          dirty={dirty}
        >
          {base?.waiting && (
            <p>
              <PendingMark {...base.waiting} />
            </p>
          )}
          {conflict && <ConflictNote title={t('form.conflict')} found={differences(conflict)} />}
          {base ? (
            <Field label={t('form.code')} value={typed.code || t('codeLater')} locked={t('form.codeLocked')} />
          ) : (
            <Field
              size="code"
              label={t('form.code')}
              name="code"
              optional={hidden}
              help={t(hidden ? 'form.codeHelpHidden' : 'form.codeHelp')}
              error={wrong.code ?? (wrongCode && said(wrongCode))}
              maxLength={60}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={typed.code}
              onChange={({ target }) => {
                setCodeLeft(false)
                set({ code: target.value.trim() })
              }}
              onBlur={() => setCodeLeft(true)}
            />
          )}
          <Field
            label={t('form.name')}
            name="name"
            error={wrong.name}
            maxLength={100}
            autoComplete="off"
            value={typed.name}
            onChange={({ target }) => set({ name: target.value })}
          />
          {hidden && (
            <>
              <ModulesField
                name="conditions"
                modules={others.filter((other) => !other.hidden)}
                chosen={typed.conditions}
                error={wrong.conditions}
                onChange={(conditions) => set({ conditions })}
              />
              <RadioField
                label={t('form.any')}
                name="any_condition"
                options={[
                  { value: 'all', label: t('form.anyNo') },
                  { value: 'any', label: t('form.anyYes') },
                ]}
                chosen={typed.any_condition ? 'any' : 'all'}
                onChange={({ target }) => set({ any_condition: target.value === 'any' })}
              />
              <JoinedContracts type={type} conditions={typed.conditions} any={typed.any_condition} />
            </>
          )}
          <ModulesField
            name="dependencies"
            modules={others}
            chosen={typed.dependencies}
            error={wrong.dependencies}
            onChange={(dependencies) => set({ dependencies })}
          />
          <AppsField
            apps={apps}
            chosen={typed.apps}
            error={wrong.apps}
            optional={!hidden}
            onChange={(chosen) => set({ apps: chosen })}
          />
        </PageForm>
      </div>
    </Page>
  )

  function differences({ was, now }: { was: ModuleRow; now: ModuleRow }) {
    const theirs = changesOf(valuesOf(now), valuesOf(was))
    return Object.entries(theirs).map(([field, value]) => ({
      label: t(`form.${field as FieldName}`),
      now: told(value),
    }))
  }
  function told(value: Values[FieldName] | undefined): string {
    if (typeof value === 'boolean') return t(value ? 'form.anyYes' : 'form.anyNo')
    if (typeof value === 'string') return value
    return (value ?? []).map((one) => (typeof one === 'string' ? one : one.code)).join(', ')
  }
}

function createdId(result: Result<unknown>): Id | null {
  if (result.kind === 'queued') return `~${result.intent}`
  return result.kind === 'fresh' ? ((result.output as ModuleRow | null)?.id ?? null) : null
}
