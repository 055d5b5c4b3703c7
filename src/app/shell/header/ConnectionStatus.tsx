import { useConnection } from '#state/use-store.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

const icons = { syncing: 'refresh', offline: 'offline', unreachable: 'offline', noDatabase: 'alert' } as const

/** State of the connection, or the number of writes being sent (P-11). If all is well it is a dot, with text for screen readers. */
export function ConnectionStatus({ sendingCount }: { sendingCount: number }) {
  const { t } = useTranslation('shell')
  const { networkState, databaseState } = useConnection()
  const networkOrSync = networkState === 'online' && sendingCount > 0 ? 'syncing' : networkState
  const state = databaseState === 'ready' ? networkOrSync : 'noDatabase'
  const statusText = state === 'syncing' ? t('line.syncing', { count: sendingCount }) : t(`line.${state}`)
  return (
    <span className={`line ${state}`} role="status" title={t(`lineHelp.${state}`)}>
      {state !== 'online' && <Icon name={icons[state]} size={16} />}
      <span className={state === 'online' ? 'sr-only' : 'line-words'} data-short={t('line.noAnswer')}>
        {statusText}
      </span>
    </span>
  )
}
