import { Tag } from '#ui/display/Tag.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

/** State of a queued write. The values are those of local/lists/list-view.ts, so that a row's state can be passed unchanged. */
export type PendingState = 'waiting' | 'sending' | 'dropping' | 'refused' | 'asks' | 'conflict' | 'sign in'

const troubledStates: readonly PendingState[] = ['refused', 'asks', 'conflict', 'sign in']

interface MarkedRow {
  waiting: { state: PendingState; action: 'create' | 'change' | 'delete' } | null
  isNew?: true
}

/** Marks a row with a queued write, or a row that was created on this device since the list was read. Otherwise returns null. */
export function renderRowMark({ waiting, isNew }: MarkedRow) {
  if (waiting) return <PendingMark state={waiting.state} action={waiting.action} />
  return isNew ? <NewMark /> : null
}

const NewMark = () => <Tag tone="accent">{useTranslation('ui').t('list.new')}</Tag>

/** Mark for writes that are queued on this device and not yet accepted by the server. */
export function PendingMark({ state, action }: { state: PendingState; action?: 'create' | 'change' | 'delete' }) {
  const { t } = useTranslation('ui')
  return (
    <span className={`pending-mark${troubledStates.includes(state) ? ' troubled' : ''}`}>
      <Icon name={troubledStates.includes(state) ? 'alert' : 'waiting'} size={16} />
      {state === 'waiting' && action ? t(`pending.makes.${action}`) : t(`pending.state.${state}`)}
    </span>
  )
}
