import { type FormEvent, lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { fieldProblems, localProblem } from '#contract/problem.ts'
import type { ClientType } from '#domain/access.ts'
import { priceDifferences } from '#domain/catalogue/prices.ts'
import { useDispatch, useSaveBlocked, useSelector } from '#state/hooks.ts'
import { problemOf } from '#state/request-status.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import type { DraftOffers } from '#state/use-draft-offers.ts'
import { DraftOffer } from '#ui/form/DraftOffer.tsx'
import { ConflictNote } from '#ui/form/ConflictNote.tsx'
import { PageForm, type PageFormProps } from '#ui/form/PageForm.tsx'
import { priceFieldLabel, priceFieldText } from '#ui/i18n/price-field-messages.ts'
import { PendingMark } from '#ui/list/PendingMark.tsx'
import { Page } from '#ui/page/Page.tsx'
import { useTranslation } from 'react-i18next'
import { BackupFields } from '#features/prices/editor/BackupFields.tsx'
import { HeaderFields } from '#features/prices/editor/HeaderFields.tsx'
import { findFormFaults, noteFaults } from '#features/prices/faults/list-faults.ts'
import { ListCheck } from '#features/prices/faults/ListCheck.tsx'
import { ModuleRows } from '#features/prices/editor/ModuleRows.tsx'
import { isDirty, type ModuleRow, rebase, tierTables, type Values } from '#features/prices/price-list-form.ts'
import { hasField, readForm } from '#features/prices/sent-list.ts'
import { formOpened, selectSaving } from '#features/prices/editor/save-price-list.ts'
import { useSettled, useStable } from '#features/prices/editor/settled.ts'
import { SoldBy } from '#features/prices/withdrawn/SoldBy.tsx'
import { TierTable } from '#features/prices/editor/TierTable.tsx'
import { useKnown } from '#features/prices/editor/useKnown.ts'
import type { Opened } from '#features/prices/editor/useOpenedList.ts'
import { type Draft, useKeptDraft } from '#features/prices/editor/usePriceDraft.ts'
import { usePriceForm } from '#features/prices/editor/usePriceForm.ts'
import { WithdrawnActions } from '#features/prices/withdrawn/WithdrawnActions.tsx'
import { useSavePriceList } from '#features/prices/editor/useSavePriceList.ts'
import { newPath, pathOf } from '#features/prices/paths.ts'
import { useSettings } from '#features/prices/useSettings.ts'
import { Sheet } from '#features/prices/PriceStyles.tsx'
import { RehearsalPanel } from '#features/prices/rehearsal/RehearsalPanel.tsx'
import type { ShowFee } from '#features/prices/rehearsal/fee-of.ts'

const RemoveModuleDialog = lazy(async () => ({
  default: (await import('#features/prices/editor/RemoveModuleDialog.tsx')).RemoveModuleDialog,
}))

interface Props {
  type: ClientType
  title: string
  opened: Opened | null
  /** What the form begins with. */
  first: Values
  /** Whether that is worth saving as it is: a copy of another list. */
  isCopy: boolean
  draftName: string
  drafts: DraftOffers<Draft>
  /** The version of the list, as a draft of it names it. */
  base: string | undefined
  ShowFee: ShowFee
  onSaved: () => void
}

/** A price list as a form: header, ranges, modules, backups, and what it would do to what is sold (M146 to M151). */
export function PriceListEditor(props: Props) {
  const { type, title, opened, first, isCopy, draftName, drafts, base: version, ShowFee, onSaved } = props
  const { t } = useTranslation('prices')
  const { t: words } = useTranslation('ui')
  const storeDispatch = useDispatch()
  const navigate = useNavigate()
  const form = useRef<HTMLDivElement>(null)
  const uatBound = useSettings()?.uat_bound ?? 'floor'
  const { form: status } = useSelector(selectSaving)
  const blocked = useSaveBlocked()
  const { known, names, modules, catalogue, lists, today, standingOf } = useKnown(type, opened?.whole ?? null)
  const isWithdrawn = opened?.shown.row.withdrawn ?? false
  const { values, wrong, dispatch, show } = usePriceForm(() =>
    drafts.own && !isWithdrawn ? rebased(drafts.own.value, first) : first,
  )
  const [removing, setRemoving] = useState<ModuleRow | null>(null)
  const saving = useSavePriceList({
    type,
    opened,
    known,
    values,
    before: first,
    show(found) {
      show(found)
      // What was found wrong is where one has to go on: once, and not while one types there.
      form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
    },
    setValues: (now) => dispatch({ kind: 'whole', values: now }),
    onSaved,
  })
  const { base, conflict, isLocked } = saving
  useEffect(() => void storeDispatch(formOpened()), [storeDispatch])
  const dirty = useMemo(() => isDirty(values, base.before), [values, base.before])
  const typedDraft = dirty ? { values, before: base.before } : null
  useKeptDraft(draftName, typedDraft, version)
  const onContinue = () => {
    const accepted = drafts.accept(typedDraft)
    if (accepted) dispatch({ kind: 'whole', values: rebased(accepted, base.before) })
  }
  const problem = blocked ? localProblem(blocked.code) : problemOf(status)
  const refused = problem ? fieldProblems(problem) : []
  const isFieldProblem = refused.length > 0 && refused.every(({ field }) => hasField(field))
  const locked = isLocked ? '' : null
  // Typed at full speed, it is read at leisure.
  const typed = useSettled(values)
  const typedList = useMemo(() => readForm(typed, known), [typed, known])
  const row = base.opened?.shown.row ?? null
  const faults = useMemo(() => findFormFaults(typedList, catalogue), [typedList, catalogue])
  const notes = useMemo(() => noteFaults(t, faults), [t, faults])
  const isUsable = faults.every(({ problem }) => problem.isWarning)

  const onRemove = (one: ModuleRow) =>
    stays(values.module, one) ? dispatch({ kind: 'remove', table: 'module', key: one.key }) : setRemoving(one)
  const onRemoveStable = useStable(onRemove)
  const onAsk = useStable(() => saving.read()?.list ?? null)
  const onConfirm = useStable(saving.confirm)

  return (
    <Page
      title={title}
      crumbs={[{ label: t('title'), to: pathOf() }]}
      intro={t(isWithdrawn ? 'lead.withdrawn' : isLocked ? 'lead.locked' : 'lead.form')}
      action={
        row && (
          <>
            <ButtonLink to={newPath(row.id)} icon="copy">
              {t('act.saveAs')}
            </ButtonLink>
            {opened && isWithdrawn && <WithdrawnActions {...{ lists, today }} opened={opened.shown} onDone={onSaved} />}
          </>
        )
      }
    >
      <Sheet />
      {drafts.offer && !isWithdrawn && (
        <DraftOffer
          at={drafts.offer.at}
          changed={drafts.offer.isChanged ? t('form.draftChanged') : undefined}
          onContinue={onContinue}
          onDiscard={drafts.discard}
        />
      )}
      <div ref={form} className="price-editor">
        <EditorForm
          isReadOnly={isWithdrawn}
          status={status.kind}
          problem={isFieldProblem || conflict ? null : problem}
          failed={
            blocked
              ? undefined
              : row
                ? words('message.updateFailed')
                : words('message.failed', { action: t('act.save') })
          }
          submit={status.kind === 'sending' ? t('form.saving') : t('act.save')}
          whyNot={blocked ? words(blocked.reason) : !dirty && !isCopy ? t('form.unchanged') : null}
          onSubmit={(event: FormEvent) => {
            event.preventDefault()
            void saving.submit()
          }}
          onCancel={() => void navigate(pathOf())}
          dirty={dirty}
        >
          {row && (
            <p className="price-status">
              <Tag tone={isLocked && !isWithdrawn ? 'positive' : 'neutral'}>
                {t(isWithdrawn ? 'state.withdrawn' : isLocked ? 'state.confirmed' : 'state.unconfirmed')}
              </Tag>
              <span>
                {t(isWithdrawn ? 'form.withdrawn' : 'form.changed', {
                  by: row.update_user_name || '–',
                  at: row.update_time || t('notYet'),
                })}
              </span>
              {isWithdrawn && <SoldBy row={row} />}
              {base.opened?.shown.waiting && <PendingMark {...base.opened.shown.waiting} />}
            </p>
          )}
          {drafts.own && !isWithdrawn && <p className="price-note">{t('form.draft')}</p>}
          {isLocked && <p className="price-note">{t(isWithdrawn ? 'form.withdrawnText' : 'form.locked')}</p>}
          {conflict && (
            <ConflictNote
              title={t('form.conflict')}
              found={priceDifferences(conflict.was, conflict.now).map(({ field, after }) => ({
                label: priceFieldLabel(field, uatBound),
                now: after === null ? '–' : priceFieldText(field, after),
              }))}
            />
          )}
          <ListCheck faults={faults} isConfirmed={isLocked} />
          <Section title={t('section.header')}>
            <HeaderFields
              {...{ locked, isWithdrawn, uatBound, dispatch }}
              header={values.header}
              wrong={wrong.fields}
              notes={notes.header}
            />
          </Section>
          {tierTables.map((name) => (
            <Section key={name} title={t(`section.${name}`)} help={t('help.tiers')}>
              <TierTable
                {...{ name, dispatch }}
                rows={values[name]}
                wrong={wrong.rows}
                note={notes[name]}
                locked={isLocked}
              />
            </Section>
          ))}
          <Section title={t('section.module')} help={t('help.modules')}>
            <ModuleRows
              rows={values.module}
              wrong={wrong.rows}
              notes={notes.modules}
              locked={isLocked}
              {...{ names, dispatch }}
              onRemove={onRemoveStable}
            />
          </Section>
          <Section title={t('section.pdbPrice')}>
            <BackupFields prices={values.pdbPrice} wrong={wrong.fields} locked={locked} dispatch={dispatch} />
          </Section>
        </EditorForm>
      </div>
      <RehearsalPanel
        {...{ type, names, lists, today, standingOf, ShowFee, dirty, typedList, isUsable }}
        row={row}
        onAsk={onAsk}
        onConfirm={isLocked ? null : onConfirm}
      />
      <Suspense fallback={null}>
        {removing && (
          <RemoveModuleDialog
            {...{ type, modules }}
            code={removing.code.trim()}
            name={names.get(removing.code.trim()) ?? removing.code}
            onClose={() => setRemoving(null)}
            onRemove={() => {
              dispatch({ kind: 'remove', table: 'module', key: removing.key })
              setRemoving(null)
            }}
          />
        )}
      </Suspense>
    </Page>
  )
}

/** A draft over the list as it is by now. */
const rebased = ({ values, before }: Draft, current: Values) => rebase(values, before, current)

/** Whether the list prices the same as before without this row: it names nothing, or what another row names too. */
const stays = (rows: readonly ModuleRow[], { key, code }: ModuleRow) =>
  code.trim() === '' || rows.some((other) => other.key !== key && other.code.trim() === code.trim())

/** A list that can be changed no more has nothing to send. */
function EditorForm({ isReadOnly, ...form }: PageFormProps & { isReadOnly: boolean }) {
  return isReadOnly ? <div className="card form page-form">{form.children}</div> : <PageForm {...form} />
}

function Section({ title, help, children }: { title: string; help?: string; children: ReactNode }) {
  return (
    <section className="price-section">
      <h2>{title}</h2>
      {help && <p className="field-help">{help}</p>}
      {children}
    </section>
  )
}
