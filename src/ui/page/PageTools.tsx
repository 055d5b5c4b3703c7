import { Button } from '#ui/display/Button.tsx'
import type { IconName } from '#ui/icons/Icon.tsx'
import { Menu, type MenuItem } from '#ui/overlay/Menu.tsx'
import { useTranslation } from 'react-i18next'

interface ToolBase {
  key: string
  label: string
  icon: IconName
  /** Shows the button without text. Menus always show the text. */
  isIconOnly?: boolean
}

/** An action that starts when its button is pressed. */
interface ToolButton extends ToolBase {
  isBusy?: boolean
  /** State of a switch. */
  isPressed?: boolean
  hasDialog?: boolean
  disabledReason?: string | false | null | undefined
  onSelect: () => void
  items?: never
}

/** A button with a menu. On a phone its items are in the menu of the page. */
interface ToolMenu extends ToolBase {
  items: MenuItem[]
}

/** A secondary action of a page, such as Export or Refresh. */
export type PageTool = ToolButton | ToolMenu

interface Props {
  tools: readonly PageTool[]
  /** Shows all tools in one menu, next to the title of a phone. Otherwise each has a button. */
  isMenu: boolean
}

/** The secondary actions of a page. */
export function PageTools({ tools, isMenu }: Props) {
  const { t } = useTranslation('ui')
  if (isMenu) return <Menu label={t('page.more')} kind="quiet" items={tools.flatMap(toMenuItems)} />
  return tools.map((tool) =>
    tool.items ? (
      <Menu
        key={tool.key}
        label={tool.label}
        icon={tool.icon}
        isIconOnly={tool.isIconOnly ?? false}
        kind="quiet"
        items={tool.items}
      />
    ) : (
      <ToolButtonElement key={tool.key} tool={tool} />
    ),
  )
}

function ToolButtonElement({ tool }: { tool: ToolButton }) {
  const { label, icon, isIconOnly, isBusy, isPressed, hasDialog, disabledReason, onSelect } = tool
  return (
    <Button
      {...{ icon, isIconOnly, isBusy, disabledReason }}
      {...(isPressed === undefined ? {} : { 'aria-pressed': isPressed })}
      {...(hasDialog ? { 'aria-haspopup': 'dialog' as const } : {})}
      onClick={onSelect}
    >
      {label}
    </Button>
  )
}

function toMenuItems(tool: PageTool): MenuItem[] {
  if (tool.items) return tool.items
  const { key, label, icon, isBusy, isPressed, hasDialog = false, disabledReason, onSelect } = tool
  return [
    {
      key,
      label,
      icon,
      // The button shows a spinner instead. A second press would start the same request again.
      onSelect: () => isBusy || onSelect(),
      disabledReason: disabledReason || null,
      hasDialog,
      ...(isPressed === undefined ? {} : { isChosen: isPressed, isSwitch: true }),
    },
  ]
}
