import { useConnection } from '#state/hooks.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

const icons = { syncing: 'refresh', offline: 'offline', unreachable: 'offline', noDatabase: 'alert' } as const

/** Where the line stands, or how many writes are on their way now (P-11). Where all is well it is a dot, and words for readers. */
export function ConnectionState({ sending }: { sending: number }) {
  const { t } = useTranslation('shell')
  const { line, database } = useConnection()
  const reached = line === 'online' && sending > 0 ? 'syncing' : line
  const state = database === 'ready' ? reached : 'noDatabase'
  const words = state === 'syncing' ? t('line.syncing', { count: sending }) : t(`line.${state}`)
  return (
    <span className={`line ${state}`} role="status" title={t(`lineHelp.${state}`)}>
      {state !== 'online' && <Icon name={icons[state]} size={16} />}
      <span className={state === 'online' ? 'sr-only' : 'line-words'} data-short={t('line.noAnswer')}>
        {words}
      </span>
    </span>
  )
}
