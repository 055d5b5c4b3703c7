import '#features/prices/words.ts'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useParams, useSearchParams } from 'react-router-dom'
import type { Id } from '#contract/endpoint.ts'
import { clientTypeOf } from '#domain/access.ts'
import { useClientType } from '#state/client-type.ts'
import { readWhole } from '#state/list-url.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Page } from '#ui/page/Page.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { copyOf, newValues, valuesOf } from '#features/prices/price-list-form.ts'
import { PriceListEditor } from '#features/prices/editor/PriceListEditor.tsx'
import { type Opened, useOpenedList } from '#features/prices/editor/useOpenedList.ts'
import { usePriceDrafts } from '#features/prices/editor/usePriceDraft.ts'
import { pathOf } from '#features/prices/paths.ts'
import type { ShowFee } from '#features/prices/rehearsal/fee-of.ts'

/** An id, or the name of one that waits to be made. */
const idIn = (text: string | null): Id | null =>
  text !== null && /^~[0-9a-f-]{36}$/i.test(text) ? (text as `~${string}`) : readWhole(text, 2_147_483_647)

/** One price list, a new one, or a copy of another (/price/{id}, /price/new, /price/new?from={id}). */
export function PriceListPage({ ShowFee }: { ShowFee: ShowFee }) {
  const { t } = useTranslation('prices')
  const { id: named } = useParams()
  const [query] = useSearchParams()
  const from = named === undefined ? query.get('from') : null
  const id = idIn(named ?? from)
  // Saved, the list is opened anew: as it is then.
  const [round, setRound] = useState(0)
  const onSaved = useCallback(() => setRound((now) => now + 1), [])
  const opened = useOpenedList(id, round)
  const isOpen = opened !== undefined
  // What was pressed is gone with the form that was saved.
  useEffect(() => {
    if (round > 0 && isOpen) document.querySelector<HTMLElement>('main h1')?.focus()
  }, [round, isOpen])
  if (id === null && (named ?? from) !== null) return <Missing why="unknown" />
  if (id !== null && opened === undefined) return <Loading />
  if (typeof opened === 'string') return <Missing why={opened} />
  if (opened && 'code' in opened)
    return (
      <Page title={t('missing.title')} crumbs={[{ label: t('title'), to: pathOf() }]} width="narrow">
        <LoadProblem problem={opened} title={t('missing.failed')} onRetry={onSaved} />
      </Page>
    )
  return (
    <Form key={`${named} ${from} ${round}`} {...{ opened: opened ?? null, ShowFee, onSaved }} isCopy={from !== null} />
  )
}

function Form({
  opened,
  isCopy,
  ...rest
}: {
  opened: Opened | null
  isCopy: boolean
  ShowFee: ShowFee
  onSaved: () => void
}) {
  const { t } = useTranslation('prices')
  const chosen = useClientType(clientTypeOf)
  const whole = opened?.whole
  const type = whole?.type ?? chosen
  const isNew = isCopy || !whole
  const draftName = isNew ? `price:new:${type}:${whole?.id ?? ''}` : `price:${whole.id}`
  const base = isNew ? undefined : String(opened?.shown.row.row_version ?? '')
  const drafts = usePriceDrafts(draftName, base)
  const first = useMemo(() => (whole ? (isCopy ? copyOf(whole) : valuesOf(whole)) : newValues()), [whole, isCopy])
  if (drafts.own === undefined) return <Loading />
  const title = isNew ? t('form.new') : t('form.title', { day: whole.effective_date })
  return (
    <PriceListEditor
      {...{ type, title, first, draftName, drafts, base, isCopy, ...rest }}
      opened={isNew ? null : opened}
    />
  )
}

function Loading() {
  const { t } = useTranslation('prices')
  return (
    <Page title={t('form.loading')}>
      <Skeleton />
    </Page>
  )
}

function Missing({ why }: { why: 'unknown' | 'notHere' }) {
  const { t } = useTranslation('prices')
  return (
    <Page title={t('missing.title')} crumbs={[{ label: t('title'), to: pathOf() }]} width="narrow">
      <section className="card">
        <EmptyState
          icon={why === 'unknown' ? 'price' : 'offline'}
          title={t(`missing.${why}`)}
          action={<ButtonLink to={pathOf()}>{t('missing.back')}</ButtonLink>}
        >
          {t(`missing.${why}Text`)}
        </EmptyState>
      </section>
    </Page>
  )
}
