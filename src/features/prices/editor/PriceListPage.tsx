import '#features/prices/words.ts'
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import { useParams, useSearchParams } from 'react-router-dom'
import { type ClientType, getClientType } from '#domain/access.ts'
import { useClientType } from '#state/client-type.ts'
import { parseRowRef } from '#state/view-fields.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { EmptyCard } from '#ui/list/EmptyCard.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Page } from '#ui/page/Page.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import {
  copyToPriceListValues,
  createPriceListValues,
  type FullPriceList,
  type OpenedPriceList,
  toPriceListValues,
} from '#features/prices/price-list-form.ts'
import { PriceListEditor, type PriceListParts } from '#features/prices/editor/PriceListEditor.tsx'
import { type PriceListOpening, unknownList, useOpenedList } from '#features/prices/editor/useOpenedList.ts'
import { usePriceDrafts } from '#features/prices/editor/usePriceDrafts.ts'
import { getPriceListPath } from '#features/prices/paths.ts'

/** Page of one price list, a new one, or a copy of another (/price/{id}, /price/new, /price/new?from={id}). */
export function PriceListPage({ ShowFee, ActivityPart }: PriceListParts) {
  const { id: idParam } = useParams()
  const [query] = useSearchParams()
  const idText = idParam ?? query.get('from')
  const id = parseRowRef(idText)
  // After saving, the list is opened again with its new values.
  const [reloadCount, setReloadCount] = useState(0)
  const onSaved = useCallback(() => setReloadCount((count) => count + 1), [])
  const listOpening = useOpenedList(id, reloadCount)
  const opening = idText !== null && id === null ? unknownList : listOpening
  // The pressed button was removed together with the saved form, so the focus moves to the heading.
  const isLoaded = opening !== undefined
  useEffect(() => {
    if (reloadCount > 0 && isLoaded) document.querySelector<HTMLElement>('main h1')?.focus()
  }, [reloadCount, isLoaded])
  if (idText !== null && opening?.kind !== 'open') return <NoPriceList {...{ opening }} onRetry={onSaved} />
  return (
    <PriceListForm
      key={`${idParam} ${idText} ${reloadCount}`}
      {...{ ShowFee, ActivityPart, onSaved }}
      openedList={opening?.kind === 'open' ? opening.openedList : null}
      isCopy={idParam === undefined && idText !== null}
    />
  )
}

interface PriceListFormProps extends PriceListParts {
  openedList: OpenedPriceList | null
  isCopy: boolean
  onSaved: () => void
}

function PriceListForm({ openedList, isCopy, ...rest }: PriceListFormProps) {
  const { t } = useTranslation('prices')
  const selectedType = useClientType(getClientType)
  const list = openedList?.row
  const editedList = isCopy ? undefined : list
  const type = list?.type ?? selectedType
  const { draftName, base } = getDraftIdentity(type, editedList, list)
  const drafts = usePriceDrafts(draftName, base)
  const initialValues = useMemo(() => createInitialValues(list, isCopy), [list, isCopy])
  if (drafts.ownDraft === undefined) return <LoadingPlaceholder />
  return (
    <PriceListEditor
      {...{ type, initialValues, draftName, base, isCopy, ...rest }}
      title={editedList ? t('form.title', { day: editedList.effective_date }) : t('form.new')}
      openedList={isCopy ? null : openedList}
      // A withdrawn list cannot be changed, so no draft is offered.
      drafts={editedList?.withdrawn ? { ...drafts, ownDraft: null, offer: null } : drafts}
    />
  )
}

function getDraftIdentity(type: ClientType, editedList?: FullPriceList, copiedList?: FullPriceList) {
  if (editedList) return { draftName: `price:${editedList.id}`, base: String(editedList.row_version) }
  return { draftName: `price:new:${type}:${copiedList?.id ?? ''}`, base: undefined }
}

function createInitialValues(list: FullPriceList | undefined, isCopy: boolean) {
  if (!list) return createPriceListValues()
  return isCopy ? copyToPriceListValues(list) : toPriceListValues(list)
}

function LoadingPlaceholder() {
  const { t } = useTranslation('prices')
  return (
    <Page title={t('form.loading')}>
      <Skeleton />
    </Page>
  )
}

interface NoPriceListProps {
  opening: Exclude<PriceListOpening, { kind: 'open' }> | undefined
  onRetry: () => void
}

function NoPriceList({ opening, onRetry }: NoPriceListProps) {
  const { t } = useTranslation('prices')
  if (!opening) return <LoadingPlaceholder />
  if (opening.kind === 'failed')
    return (
      <MissingPage>
        <LoadProblem problem={opening.problem} title={t('missing.failed')} onRetry={onRetry} />
      </MissingPage>
    )
  const { reason } = opening
  return (
    <MissingPage>
      <EmptyCard
        icon={reason === 'unknown' ? 'price' : 'offline'}
        title={t(`missing.${reason}`)}
        action={<ButtonLink to={getPriceListPath()}>{t('missing.back')}</ButtonLink>}
      >
        {t(`missing.${reason}Text`)}
      </EmptyCard>
    </MissingPage>
  )
}

function MissingPage({ children }: { children: ReactNode }) {
  const { t } = useTranslation('prices')
  return (
    <Page title={t('missing.title')} crumbs={[{ label: t('title'), to: getPriceListPath() }]} width="narrow">
      {children}
    </Page>
  )
}
