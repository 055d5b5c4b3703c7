import { findPriceDifferences } from '#domain/catalogue/price-differences.ts'
import { Tag } from '#ui/display/Tag.tsx'
import { ConflictNote } from '#ui/form/ConflictNote.tsx'
import { formatPriceFieldLabel, formatPriceFieldValue } from '#ui/i18n/price-field-messages.ts'
import { PendingMark } from '#ui/list/PendingMark.tsx'
import { useTranslation } from 'react-i18next'
import type { OpenedPriceList } from '#features/prices/price-list-form.ts'
import type { SentList } from '#features/prices/sent-list.ts'
import { useSettings } from '#patterns/useSettings.ts'
import { SoldBy } from '#features/prices/withdrawn/SoldBy.tsx'

export type EditorState = 'unconfirmed' | 'confirmed' | 'withdrawn'

interface Props {
  row: OpenedPriceList | null
  state: EditorState
  hasDraft: boolean
  conflict: { previousList: SentList; currentList: SentList } | null
}

export function PriceListNotes({ row, state, hasDraft, conflict }: Props) {
  const { t } = useTranslation('prices')
  return (
    <>
      {row && <StatusNote {...{ row, state }} />}
      {hasDraft && <p className="price-note">{t('form.draft')}</p>}
      {state !== 'unconfirmed' && (
        <p className="price-note">{t(state === 'withdrawn' ? 'form.withdrawnText' : 'form.locked')}</p>
      )}
      {conflict && <PriceConflictNote {...conflict} />}
    </>
  )
}

function StatusNote({ row: { row, waiting }, state }: { row: OpenedPriceList; state: EditorState }) {
  const { t } = useTranslation('prices')
  return (
    <p className="price-status">
      <Tag tone={state === 'confirmed' ? 'positive' : 'neutral'}>{t(`state.${state}`)}</Tag>
      <span>
        {t(state === 'withdrawn' ? 'form.withdrawn' : 'form.changed', {
          by: row.update_user_name || '–',
          at: row.update_time || t('notYet'),
        })}
      </span>
      {state === 'withdrawn' && <SoldBy row={row} />}
      {waiting && <PendingMark {...waiting} />}
    </p>
  )
}

function PriceConflictNote({ previousList, currentList }: NonNullable<Props['conflict']>) {
  const { t } = useTranslation('prices')
  const uatBound = useSettings()?.uat_bound ?? 'floor'
  return (
    <ConflictNote
      title={t('form.conflict')}
      differences={findPriceDifferences(previousList, currentList).map(({ field, after }) => ({
        label: formatPriceFieldLabel(field, uatBound),
        value: after === null ? '–' : formatPriceFieldValue(field, after),
      }))}
    />
  )
}
