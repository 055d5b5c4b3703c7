import '#features/prices/words.ts'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useParams, useSearchParams } from 'react-router-dom'
import type { RowRef } from '#contract/endpoint.ts'
import { getClientType } from '#domain/access.ts'
import { useClientType } from '#state/client-type.ts'
import { parseWholeNumber } from '#state/list-url.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Page } from '#ui/page/Page.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { copyToPriceListValues, createPriceListValues, toPriceListValues } from '#features/prices/price-list-form.ts'
import { PriceListEditor } from '#features/prices/editor/PriceListEditor.tsx'
import { type OpenedPriceList, useOpenedList } from '#features/prices/editor/useOpenedList.ts'
import { usePriceDrafts } from '#features/prices/editor/usePriceDrafts.ts'
import { getPriceListPath } from '#features/prices/paths.ts'
import type { ShowFee } from '#features/prices/rehearsal/annual-fee.ts'

/** An id, or the name of one that waits to be made. */
const parseId = (text: string | null): RowRef | null =>
  text !== null && /^~[0-9a-f-]{36}$/i.test(text) ? (text as `~${string}`) : parseWholeNumber(text, 2_147_483_647)

/** One price list, a new one, or a copy of another (/price/{id}, /price/new, /price/new?from={id}). */
export function PriceListPage({ ShowFee }: { ShowFee: ShowFee }) {
  const { t } = useTranslation('prices')
  const { id: idParam } = useParams()
  const [query] = useSearchParams()
  const copyParam = idParam === undefined ? query.get('from') : null
  const id = parseId(idParam ?? copyParam)
  // Saved, the list is opened anew: as it is then.
  const [reloadCount, setReloadCount] = useState(0)
  const onSaved = useCallback(() => setReloadCount((count) => count + 1), [])
  const openedList = useOpenedList(id, reloadCount)
  const isOpen = openedList !== undefined
  // What was pressed is gone with the form that was saved.
  useEffect(() => {
    if (reloadCount > 0 && isOpen) document.querySelector<HTMLElement>('main h1')?.focus()
  }, [reloadCount, isOpen])
  if (id === null && (idParam ?? copyParam) !== null) return <MissingPriceList reason="unknown" />
  if (id !== null && openedList === undefined) return <LoadingPlaceholder />
  if (typeof openedList === 'string') return <MissingPriceList reason={openedList} />
  if (openedList && 'code' in openedList)
    return (
      <Page title={t('missing.title')} crumbs={[{ label: t('title'), to: getPriceListPath() }]} width="narrow">
        <LoadProblem problem={openedList} title={t('missing.failed')} onRetry={onSaved} />
      </Page>
    )
  return (
    <PriceListForm
      key={`${idParam} ${copyParam} ${reloadCount}`}
      {...{ openedList: openedList ?? null, ShowFee, onSaved }}
      isCopy={copyParam !== null}
    />
  )
}

function PriceListForm({
  openedList,
  isCopy,
  ...rest
}: {
  openedList: OpenedPriceList | null
  isCopy: boolean
  ShowFee: ShowFee
  onSaved: () => void
}) {
  const { t } = useTranslation('prices')
  const selectedType = useClientType(getClientType)
  const fullList = openedList?.fullList
  const type = fullList?.type ?? selectedType
  const isNew = isCopy || !fullList
  const draftName = isNew ? `price:new:${type}:${fullList?.id ?? ''}` : `price:${fullList.id}`
  const base = isNew ? undefined : String(openedList?.overlaidRow.row.row_version ?? '')
  const drafts = usePriceDrafts(draftName, base)
  const initialValues = useMemo(
    () =>
      fullList ? (isCopy ? copyToPriceListValues(fullList) : toPriceListValues(fullList)) : createPriceListValues(),
    [fullList, isCopy],
  )
  if (drafts.ownDraft === undefined) return <LoadingPlaceholder />
  const title = isNew ? t('form.new') : t('form.title', { day: fullList.effective_date })
  return (
    <PriceListEditor
      {...{ type, title, initialValues, draftName, drafts, base, isCopy, ...rest }}
      openedList={isNew ? null : openedList}
    />
  )
}

function LoadingPlaceholder() {
  const { t } = useTranslation('prices')
  return (
    <Page title={t('form.loading')}>
      <Skeleton />
    </Page>
  )
}

function MissingPriceList({ reason }: { reason: 'unknown' | 'notHere' }) {
  const { t } = useTranslation('prices')
  return (
    <Page title={t('missing.title')} crumbs={[{ label: t('title'), to: getPriceListPath() }]} width="narrow">
      <section className="card">
        <EmptyState
          icon={reason === 'unknown' ? 'price' : 'offline'}
          title={t(`missing.${reason}`)}
          action={<ButtonLink to={getPriceListPath()}>{t('missing.back')}</ButtonLink>}
        >
          {t(`missing.${reason}Text`)}
        </EmptyState>
      </section>
    </Page>
  )
}
