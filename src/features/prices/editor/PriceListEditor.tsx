import { useId, useMemo, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import type { ClientType } from '#domain/access.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import type { DraftOffers } from '#state/use-draft-offers.ts'
import { DraftOffer } from '#ui/form/DraftOffer.tsx'
import { Page } from '#ui/page/Page.tsx'
import { useTranslation } from 'react-i18next'
import { EditorBar } from '#features/prices/changes/EditorBar.tsx'
import { findListChanges } from '#features/prices/changes/list-changes.ts'
import { PriceForm } from '#features/prices/changes/PriceForm.tsx'
import { PriceListFields } from '#features/prices/editor/PriceListFields.tsx'
import { type EditorState, PriceListNotes } from '#features/prices/editor/PriceListNotes.tsx'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'
import { type PriceListDraft, useSavedDraft } from '#features/prices/editor/usePriceDrafts.ts'
import { usePriceFormContext } from '#features/prices/editor/usePriceFormContext.ts'
import { usePriceListForm } from '#features/prices/editor/usePriceListForm.ts'
import { ListCheck } from '#features/prices/faults/ListCheck.tsx'
import { useListFaults } from '#features/prices/faults/useListFaults.ts'
import { getNewPriceListPath, getPriceListPath } from '#features/prices/paths.ts'
import { type OpenedPriceList, type PriceListValues, rebaseValues } from '#features/prices/price-list-form.ts'
import type { PriceActivityPart } from '#features/prices/price-activity-part.ts'
import { PriceStyles } from '#features/prices/PriceStyles.tsx'
import type { ShowFee } from '#features/prices/rehearsal/annual-fee.ts'
import { ConfirmButton, ConfirmDialogs } from '#features/prices/rehearsal/ConfirmButton.tsx'
import { RehearsalPanel, useRehearsal } from '#features/prices/rehearsal/RehearsalPanel.tsx'
import { WhatIfSection } from '#features/prices/rehearsal/WhatIfSection.tsx'
import { SectionLinks } from '#features/prices/sections/SectionLinks.tsx'
import { WithdrawnActions } from '#features/prices/withdrawn/WithdrawnActions.tsx'

/** Parts of other features, passed by the app. */
export interface PriceListParts {
  ShowFee: ShowFee
  ActivityPart: PriceActivityPart
}

interface Props extends PriceListParts {
  type: ClientType
  title: string
  /** Null for a new list or a copy of another list. */
  openedList: OpenedPriceList | null
  /** Values of the opened list, or of the list to copy. */
  initialValues: PriceListValues
  isCopy: boolean
  draftName: string
  drafts: DraftOffers<PriceListDraft>
  base: string | undefined
  onSaved: () => void
}

const introKeys = { unconfirmed: 'lead.form', confirmed: 'lead.locked', withdrawn: 'lead.withdrawn' } as const

/** Edit form of a price list: header, ranges, modules, backups, and the effect on sold contracts (M146 to M151). */
export function PriceListEditor(props: Props) {
  const { type, title, openedList, initialValues, isCopy, draftName, drafts, base, ShowFee, ActivityPart, onSaved } =
    props
  const { t } = useTranslation('prices')
  const navigate = useNavigate()
  const { formContext, namesByCode, modules, catalogue, lists, today, getListState } = usePriceFormContext(
    type,
    openedList?.row ?? null,
  )
  const form = usePriceListForm({
    type,
    openedList,
    initialValues,
    isCopy,
    formContext,
    onSaved,
    createDraftValues: () => (drafts.ownDraft ? rebaseDraft(drafts.ownDraft.value, initialValues) : initialValues),
  })
  const { row, values, baseValues, isDirty, dispatch } = form
  const state = getEditorState(openedList, row)
  const isWithdrawn = state === 'withdrawn'

  const typedDraft = isDirty ? { values, before: baseValues } : null
  useSavedDraft(draftName, typedDraft, base)
  const onContinue = () => {
    const acceptedDraft = drafts.accept(typedDraft)
    if (acceptedDraft) dispatch({ kind: 'replace', values: rebaseDraft(acceptedDraft, baseValues) })
  }

  // All of a new list is new, so nothing is marked.
  const isCompared = openedList !== null || isCopy
  const listFaults = useListFaults(values, formContext, catalogue, { isNew: !isCompared, isDirty })
  const { typedList, faults, notes, isUsable, isUntouched } = listFaults
  const readValidList = useLatestCallback(form.readValidList)

  const formId = useId()
  const comparedValues = isCompared ? baseValues : values
  const changes = useMemo(() => findListChanges(values, comparedValues), [values, comparedValues])
  const rehearsal = useRehearsal(type, typedList, readValidList)
  const [isConfirming, setConfirming] = useState(false)

  return (
    <Page
      title={title}
      crumbs={[{ label: t('title'), to: getPriceListPath() }]}
      intro={t(introKeys[state])}
      action={row && <EditorActions {...{ row, lists, today, isWithdrawn }} onDone={onSaved} />}
    >
      <PriceStyles />
      {drafts.offer && (
        <DraftOffer
          savedAt={drafts.offer.savedAt}
          changedText={drafts.offer.isChanged ? t('form.draftChanged') : undefined}
          onContinue={onContinue}
          onDiscard={drafts.discard}
        />
      )}
      <div className="price-editor">
        <SectionLinks counts={changes.counts} />
        <div className="price-main">
          <PriceForm {...form.formProps} id={formId} isReadOnly={isWithdrawn} onBlur={form.onLeaveField}>
            <PriceListNotes {...{ row, state }} hasDraft={Boolean(drafts.ownDraft)} conflict={form.conflict} />
            <ListCheck {...{ faults, isUntouched }} isConfirmed={state !== 'unconfirmed'} />
            <PriceListFields
              {...{ type, state, values, changes, notes, modules, namesByCode, dispatch }}
              problemTexts={form.problemTexts}
            />
          </PriceForm>
          <RehearsalPanel {...{ namesByCode, ShowFee, typedList, rehearsal }} />
          <WhatIfSection
            {...{ lists, getListState, namesByCode, ShowFee }}
            ownId={row?.row.id ?? null}
            list={typedList.list}
          />
          {row && <ActivityPart day={row.row.effective_date} refreshKey={row.row.row_version} />}
          {!isWithdrawn && (
            <EditorBar
              {...form.formProps}
              {...{ formId }}
              changeCount={isCompared ? changes.total : null}
              isHiddenUnchanged={state === 'confirmed'}
              onCancel={() => void navigate(getPriceListPath())}
            >
              {state === 'unconfirmed' && (
                <ConfirmButton
                  {...{ row, isUsable }}
                  hasChanges={isDirty}
                  isRehearsing={rehearsal.isBusy}
                  onConfirm={() => setConfirming(true)}
                />
              )}
            </EditorBar>
          )}
          <ConfirmDialogs {...{ row, today, rehearsal, isConfirming, setConfirming }} onConfirmed={onSaved} />
        </div>
      </div>
    </Page>
  )
}

interface EditorActionsProps extends Pick<ReturnType<typeof usePriceFormContext>, 'lists' | 'today'> {
  row: OpenedPriceList
  isWithdrawn: boolean
  onDone: () => void
}

function EditorActions({ row, lists, today, isWithdrawn, onDone }: EditorActionsProps) {
  const { t } = useTranslation('prices')
  return (
    <>
      <ButtonLink to={getNewPriceListPath(row.row.id)} icon="copy">
        {t('act.saveAs')}
      </ButtonLink>
      {isWithdrawn && <WithdrawnActions {...{ lists, today, onDone }} overlaidRow={row} />}
    </>
  )
}

/**
 * Returns the state of the list. If another user withdraws it while the form is open, it is treated as confirmed until it is opened again.
 */
function getEditorState(openedList: OpenedPriceList | null, row: OpenedPriceList | null): EditorState {
  if (openedList?.row.withdrawn) return 'withdrawn'
  return row?.row.confirmed ? 'confirmed' : 'unconfirmed'
}

/** Applies the draft's changes to the current values of the list. */
const rebaseDraft = ({ values, before }: PriceListDraft, current: PriceListValues): PriceListValues =>
  rebaseValues(values, before, current)
