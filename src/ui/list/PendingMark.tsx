import { Tag } from '#ui/display/Tag.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

/** As local/lists/list-view.ts calls them; the same words, so that a row's state can be handed over as it is. */
export type PendingState = 'waiting' | 'sending' | 'dropping' | 'refused' | 'asks' | 'conflict' | 'sign in'

const troubledStates: readonly PendingState[] = ['refused', 'asks', 'conflict', 'sign in']

interface MarkedRow {
  waiting: { state: PendingState; action: 'create' | 'change' | 'delete' } | null
  isNew?: true
}

/** Of a row in a list: what waits of it, or that it was just made here, until its list is asked again. Null: nothing. */
export function renderRowMark({ waiting, isNew }: MarkedRow) {
  if (waiting) return <PendingMark state={waiting.state} action={waiting.action} />
  return isNew ? <NewMark /> : null
}

const NewMark = () => <Tag tone="accent">{useTranslation('ui').t('list.new')}</Tag>

/** The one look of what this device has recorded and the server has not accepted yet. */
export function PendingMark({ state, action }: { state: PendingState; action?: 'create' | 'change' | 'delete' }) {
  const { t } = useTranslation('ui')
  return (
    <span className={`pending-mark${troubledStates.includes(state) ? ' troubled' : ''}`}>
      <Icon name={troubledStates.includes(state) ? 'alert' : 'waiting'} size={16} />
      {state === 'waiting' && action ? t(`pending.makes.${action}`) : t(`pending.state.${state}`)}
    </span>
  )
}
