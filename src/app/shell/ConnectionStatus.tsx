import { useConnection } from '#state/hooks.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

/** Permanent and quiet: where the line stands, or how many writes are on their way now (P-11). */
export function ConnectionState({ sending }: { sending: number }) {
  const { t } = useTranslation('shell')
  const { line } = useConnection()
  const state = line === 'online' && sending > 0 ? 'syncing' : line
  const words = state === 'syncing' ? t('line.syncing', { count: sending }) : t(`line.${state}`)
  return (
    <span className={`line ${state}`} role="status" title={t(`lineHelp.${state}`)}>
      <Icon name={state === 'syncing' ? 'refresh' : line === 'online' ? 'online' : 'offline'} />
      <span className="line-words">{words}</span>
    </span>
  )
}
