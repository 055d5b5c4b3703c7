import { useCallback } from 'react'
import { useNavigate } from 'react-router-dom'
import type { ModuleRow } from '#contract/modules.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { buildHistoryPath } from '#ui/links/history-path.ts'
import type { RowAction } from '#ui/list/column.ts'
import { useTranslation } from 'react-i18next'
import { toRowPath } from '#features/modules/module-path.ts'

type Action = RowAction<OverlaidRow<ModuleRow>>

/** Returns the menu of a module's row. `onRemove` must be the same function at each render. */
export function useModuleActions(onRemove: Action['onSelect']) {
  const { t } = useTranslation('modules')
  const { t: tUi } = useTranslation('ui')
  const navigate = useNavigate()
  const { isSessionExpired } = useConnection()
  const { caller } = useSignedInSession()
  return useCallback(
    ({ row }: OverlaidRow<ModuleRow>): Action[] => {
      const trailPath = buildHistoryPath(
        { code: row.hidden ? 'automodule' : 'module', name: row.code, access: 'deleteLevel' },
        caller,
      )
      const historyActions: Action[] =
        trailPath === null
          ? []
          : [{ key: 'history', label: t('act.history'), icon: 'history', onSelect: () => void navigate(trailPath) }]
      return [
        { key: 'edit', label: t('act.edit'), icon: 'edit', onSelect: () => void navigate(toRowPath(row)) },
        ...historyActions,
        {
          key: 'remove',
          label: t('act.remove'),
          icon: 'remove',
          isDestructive: true,
          hasDialog: true,
          getDisabledReason: () => (isSessionExpired ? tUi('form.lapsed') : null),
          onSelect: onRemove,
        },
      ]
    },
    [t, tUi, navigate, isSessionExpired, caller, onRemove],
  )
}
