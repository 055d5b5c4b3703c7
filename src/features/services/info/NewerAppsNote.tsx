import type { ServiceRow } from '#contract/services.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import type { useServiceActions } from '#features/services/operations/useServiceActions.tsx'
import { formatNewerApps } from '#features/services/ServiceStatusTag.tsx'

interface NewerAppsNoteProps {
  row: ServiceRow
  actions: ReturnType<typeof useServiceActions>
}

/** Says how many apps of the service have a newer version, and offers the update to users who may do it (screens, next 20). */
export function NewerAppsNote({ row, actions }: NewerAppsNoteProps) {
  const { t } = useTranslation('services')
  // Rows that an earlier build has stored on the device lack the field.
  if (!(row.newer_apps > 0)) return null
  return (
    <div className="service-newer">
      <p>
        <strong>{formatNewerApps(row.newer_apps, t)}</strong> {t('panel.newerApps')}
      </p>
      {actions.isOffered(row, 'update') && (
        <Button
          icon="upload"
          disabledReason={actions.getDisabledReason('update', row)}
          onClick={() => actions.openDialog({ kind: 'update', row })}
        >
          {t('panel.update')}
        </Button>
      )}
    </div>
  )
}
