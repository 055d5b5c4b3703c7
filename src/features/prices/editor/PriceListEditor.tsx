import { type FormEvent, lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { getFieldProblems, createLocalProblem } from '#contract/problem.ts'
import type { ClientType } from '#domain/access.ts'
import { findPriceDifferences } from '#domain/catalogue/price-differences.ts'
import { useDispatch, useSaveBlocked, useSelector } from '#state/use-store.ts'
import { getStatusProblem } from '#state/request-status.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import type { DraftOffers } from '#state/use-draft-offers.ts'
import { DraftOffer } from '#ui/form/DraftOffer.tsx'
import { ConflictNote } from '#ui/form/ConflictNote.tsx'
import { PageForm, type PageFormProps } from '#ui/form/PageForm.tsx'
import { formatPriceFieldLabel, formatPriceFieldValue } from '#ui/i18n/price-field-messages.ts'
import { PendingMark } from '#ui/list/PendingMark.tsx'
import { Page } from '#ui/page/Page.tsx'
import { useTranslation } from 'react-i18next'
import { BackupFields } from '#features/prices/editor/BackupFields.tsx'
import { HeaderFields } from '#features/prices/editor/HeaderFields.tsx'
import { findFormFaults, buildFaultNotes } from '#features/prices/faults/list-faults.ts'
import { ListCheck } from '#features/prices/faults/ListCheck.tsx'
import { ModuleRows } from '#features/prices/editor/ModuleRows.tsx'
import {
  isDirty,
  type PriceModuleRow,
  rebaseValues,
  tierTables,
  type PriceListValues,
} from '#features/prices/price-list-form.ts'
import { hasField, readForm } from '#features/prices/sent-list.ts'
import { formOpened, selectSaving } from '#features/prices/editor/save-price-list.ts'
import { useDebouncedValue, useStableCallback } from '#features/prices/editor/stable-values.ts'
import { SoldBy } from '#features/prices/withdrawn/SoldBy.tsx'
import { TierTable } from '#features/prices/editor/TierTable.tsx'
import { usePriceFormContext } from '#features/prices/editor/usePriceFormContext.ts'
import type { OpenedPriceList } from '#features/prices/editor/useOpenedList.ts'
import { type PriceListDraft, useSavedDraft } from '#features/prices/editor/usePriceDrafts.ts'
import { usePriceForm } from '#features/prices/editor/usePriceForm.ts'
import { WithdrawnActions } from '#features/prices/withdrawn/WithdrawnActions.tsx'
import { useSavePriceList } from '#features/prices/editor/useSavePriceList.ts'
import { getNewPriceListPath, getPriceListPath } from '#features/prices/paths.ts'
import { useSettings } from '#features/prices/useSettings.ts'
import { PriceStyles } from '#features/prices/PriceStyles.tsx'
import { RehearsalPanel } from '#features/prices/rehearsal/RehearsalPanel.tsx'
import type { ShowFee } from '#features/prices/rehearsal/annual-fee.ts'

const RemoveModuleDialog = lazy(async () => ({
  default: (await import('#features/prices/editor/RemoveModuleDialog.tsx')).RemoveModuleDialog,
}))

interface Props {
  type: ClientType
  title: string
  openedList: OpenedPriceList | null
  /** What the form begins with. */
  initialValues: PriceListValues
  /** Whether that is worth saving as it is: a copy of another list. */
  isCopy: boolean
  draftName: string
  drafts: DraftOffers<PriceListDraft>
  /** The version of the list, as a draft of it names it. */
  base: string | undefined
  ShowFee: ShowFee
  onSaved: () => void
}

/** A price list as a form: header, ranges, modules, backups, and what it would do to what is sold (M146 to M151). */
export function PriceListEditor(props: Props) {
  const {
    type,
    title,
    openedList,
    initialValues,
    isCopy,
    draftName,
    drafts,
    base: listVersion,
    ShowFee,
    onSaved,
  } = props
  const { t } = useTranslation('prices')
  const { t: tUi } = useTranslation('ui')
  const storeDispatch = useDispatch()
  const navigate = useNavigate()
  const form = useRef<HTMLDivElement>(null)
  const uatBound = useSettings()?.uat_bound ?? 'floor'
  const { form: status } = useSelector(selectSaving)
  const saveBlock = useSaveBlocked()
  const { formContext, namesByCode, modules, catalogue, lists, today, getListState } = usePriceFormContext(
    type,
    openedList?.fullList ?? null,
  )
  const isWithdrawn = openedList?.overlaidRow.row.withdrawn ?? false
  const { values, problemTexts, dispatch, showProblems } = usePriceForm(() =>
    drafts.ownDraft && !isWithdrawn ? rebaseDraft(drafts.ownDraft.value, initialValues) : initialValues,
  )
  const [moduleToRemove, setModuleToRemove] = useState<PriceModuleRow | null>(null)
  const saveControls = useSavePriceList({
    type,
    openedList,
    formContext,
    values,
    initialValues,
    showProblems(problems) {
      showProblems(problems)
      // What was found wrong is where one has to go on: once, and not while one types there.
      form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
    },
    setValues: (newValues) => dispatch({ kind: 'whole', values: newValues }),
    onSaved,
  })
  const { base, conflict, isLocked } = saveControls
  useEffect(() => void storeDispatch(formOpened()), [storeDispatch])
  const hasChanges = useMemo(() => isDirty(values, base.initialValues), [values, base.initialValues])
  const typedDraft = hasChanges ? { values, before: base.initialValues } : null
  useSavedDraft(draftName, typedDraft, listVersion)
  const onContinue = () => {
    const acceptedDraft = drafts.accept(typedDraft)
    if (acceptedDraft) dispatch({ kind: 'whole', values: rebaseDraft(acceptedDraft, base.initialValues) })
  }
  const problem = saveBlock ? createLocalProblem(saveBlock.code) : getStatusProblem(status)
  const refusedFields = problem ? getFieldProblems(problem) : []
  const isFieldProblem = refusedFields.length > 0 && refusedFields.every(({ field }) => hasField(field))
  const lockReason = isLocked ? '' : null
  // Typed at full speed, it is read at leisure.
  const settledValues = useDebouncedValue(values)
  const typedList = useMemo(() => readForm(settledValues, formContext), [settledValues, formContext])
  const row = base.openedList?.overlaidRow.row ?? null
  const faults = useMemo(() => findFormFaults(typedList, catalogue), [typedList, catalogue])
  const notes = useMemo(() => buildFaultNotes(t, faults), [t, faults])
  const isUsable = faults.every(({ problem }) => problem.isWarning)

  const onRemove = (moduleRow: PriceModuleRow) =>
    isPricedWithout(values.module, moduleRow)
      ? dispatch({ kind: 'remove', table: 'module', key: moduleRow.key })
      : setModuleToRemove(moduleRow)
  const onRemoveStable = useStableCallback(onRemove)
  const onAsk = useStableCallback(() => saveControls.readValidForm()?.list ?? null)
  const onConfirm = useStableCallback(saveControls.confirm)

  return (
    <Page
      title={title}
      crumbs={[{ label: t('title'), to: getPriceListPath() }]}
      intro={t(isWithdrawn ? 'lead.withdrawn' : isLocked ? 'lead.locked' : 'lead.form')}
      action={
        row && (
          <>
            <ButtonLink to={getNewPriceListPath(row.id)} icon="copy">
              {t('act.saveAs')}
            </ButtonLink>
            {openedList && isWithdrawn && (
              <WithdrawnActions {...{ lists, today }} overlaidRow={openedList.overlaidRow} onDone={onSaved} />
            )}
          </>
        )
      }
    >
      <PriceStyles />
      {drafts.offer && !isWithdrawn && (
        <DraftOffer
          savedAt={drafts.offer.savedAt}
          changedText={drafts.offer.isChanged ? t('form.draftChanged') : undefined}
          onContinue={onContinue}
          onDiscard={drafts.discard}
        />
      )}
      <div ref={form} className="price-editor">
        <EditorForm
          isReadOnly={isWithdrawn}
          status={status.kind}
          problem={isFieldProblem || conflict ? null : problem}
          failureTitle={
            saveBlock ? undefined : row ? tUi('message.updateFailed') : tUi('message.failed', { action: t('act.save') })
          }
          submitLabel={status.kind === 'sending' ? t('form.saving') : t('act.save')}
          disabledReason={saveBlock ? tUi(saveBlock.reason) : !hasChanges && !isCopy ? t('form.unchanged') : null}
          onSubmit={(event: FormEvent) => {
            event.preventDefault()
            void saveControls.submit()
          }}
          onCancel={() => void navigate(getPriceListPath())}
          isDirty={hasChanges}
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
              {base.openedList?.overlaidRow.waiting && <PendingMark {...base.openedList.overlaidRow.waiting} />}
            </p>
          )}
          {drafts.ownDraft && !isWithdrawn && <p className="price-note">{t('form.draft')}</p>}
          {isLocked && <p className="price-note">{t(isWithdrawn ? 'form.withdrawnText' : 'form.locked')}</p>}
          {conflict && (
            <ConflictNote
              title={t('form.conflict')}
              differences={findPriceDifferences(conflict.previousList, conflict.currentList).map(
                ({ field, after }) => ({
                  label: formatPriceFieldLabel(field, uatBound),
                  value: after === null ? '–' : formatPriceFieldValue(field, after),
                }),
              )}
            />
          )}
          <ListCheck faults={faults} isConfirmed={isLocked} />
          <Section title={t('section.header')}>
            <HeaderFields
              {...{ lockReason, isWithdrawn, uatBound, dispatch }}
              header={values.header}
              problemTexts={problemTexts.fields}
              notes={notes.header}
            />
          </Section>
          {tierTables.map((name) => (
            <Section key={name} title={t(`section.${name}`)} help={t('help.tiers')}>
              <TierTable
                {...{ name, dispatch }}
                rows={values[name]}
                problemTexts={problemTexts.rows}
                note={notes[name]}
                isLocked={isLocked}
              />
            </Section>
          ))}
          <Section title={t('section.module')} help={t('help.modules')}>
            <ModuleRows
              rows={values.module}
              problemTexts={problemTexts.rows}
              notesByKey={notes.moduleNotes}
              isLocked={isLocked}
              {...{ namesByCode, dispatch }}
              onRemove={onRemoveStable}
            />
          </Section>
          <Section title={t('section.pdbPrice')}>
            <BackupFields
              prices={values.pdbPrice}
              problemTexts={problemTexts.fields}
              lockReason={lockReason}
              dispatch={dispatch}
            />
          </Section>
        </EditorForm>
      </div>
      <RehearsalPanel
        {...{ type, namesByCode, lists, today, getListState, ShowFee, hasChanges, typedList, isUsable }}
        row={row}
        onAsk={onAsk}
        onConfirm={isLocked ? null : onConfirm}
      />
      <Suspense fallback={null}>
        {moduleToRemove && (
          <RemoveModuleDialog
            {...{ type, modules }}
            code={moduleToRemove.code.trim()}
            name={namesByCode.get(moduleToRemove.code.trim()) ?? moduleToRemove.code}
            onClose={() => setModuleToRemove(null)}
            onRemove={() => {
              dispatch({ kind: 'remove', table: 'module', key: moduleToRemove.key })
              setModuleToRemove(null)
            }}
          />
        )}
      </Suspense>
    </Page>
  )
}

/** A draft over the list as it is by now. */
const rebaseDraft = ({ values, before }: PriceListDraft, current: PriceListValues) =>
  rebaseValues(values, before, current)

/** Whether the list prices the same as before without this row: it names nothing, or what another row names too. */
const isPricedWithout = (rows: readonly PriceModuleRow[], { key, code }: PriceModuleRow) =>
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
