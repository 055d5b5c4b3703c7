import { useNavigate } from 'react-router-dom'
import type { PriceRow } from '#contract/prices.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import type { RowAction } from '#ui/list/column.ts'
import { useTranslation } from 'react-i18next'
import { useExport } from '#features/prices/list/useExport.ts'
import { buildPriceListHistoryPath, getNewPriceListPath, getPriceListPath } from '#features/prices/paths.ts'
import type { usePriceLists } from '#features/prices/usePriceLists.ts'
import { useReinstateReason } from '#features/prices/withdrawn/useReinstateReason.ts'

type OverlaidPriceList = OverlaidRow<PriceRow>

interface PriceListActionsOptions extends Pick<ReturnType<typeof usePriceLists>, 'lists' | 'today' | 'getListState'> {
  onRemove: (overlaidRow: OverlaidPriceList) => void
  onReinstate: (overlaidRow: OverlaidPriceList) => void
}

export function usePriceListActions({ lists, today, getListState, onRemove, onReinstate }: PriceListActionsOptions) {
  const { t } = useTranslation('prices')
  const { t: tUi } = useTranslation('ui')
  const navigate = useNavigate()
  const { isSessionExpired } = useConnection()
  const { caller } = useSignedInSession()
  const download = useExport()
  const getReinstateReason = useReinstateReason(lists, today)
  const offlineReason = useOfflineReason(t('needsConnection'))

  /**
   * Returns why a list cannot be removed now. A confirmed list can be withdrawn only with a connection, and not while it is in force (D81).
   */
  const getRemoveReason = ({ row }: OverlaidPriceList) => {
    if (isSessionExpired) return tUi('form.lapsed')
    if (!row.confirmed) return null
    return getListState(row) === 'inForce' ? t('withdraw.inForce') : offlineReason
  }
  const getHistoryActions = (row: PriceRow): RowAction<OverlaidPriceList>[] => {
    const path = buildPriceListHistoryPath(row, caller)
    if (path === null) return []
    return [{ key: 'history', label: t('act.history'), icon: 'history', onSelect: () => void navigate(path) }]
  }
  return ({ row }: OverlaidPriceList): RowAction<OverlaidPriceList>[] => [
    {
      key: 'edit',
      label: t(row.confirmed ? 'act.open' : 'act.edit'),
      icon: row.confirmed ? 'seen' : 'edit',
      onSelect: () => void navigate(getPriceListPath(row.id)),
    },
    { key: 'saveAs', label: t('act.saveAs'), icon: 'copy', onSelect: () => void navigate(getNewPriceListPath(row.id)) },
    {
      key: 'export',
      label: t('act.export'),
      icon: 'install',
      getDisabledReason: () => (typeof row.id === 'number' ? offlineReason : t('export.notYet')),
      onSelect: download,
    },
    ...getHistoryActions(row),
    row.withdrawn
      ? {
          key: 'reinstate',
          label: t('act.reinstate'),
          icon: 'check',
          hasDialog: true,
          getDisabledReason: () => getReinstateReason(row),
          onSelect: onReinstate,
        }
      : {
          key: 'remove',
          label: t(row.confirmed ? 'act.withdraw' : 'act.remove'),
          icon: 'remove',
          isDestructive: true,
          hasDialog: true,
          getDisabledReason: getRemoveReason,
          onSelect: onRemove,
        },
  ]
}
