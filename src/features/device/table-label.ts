import { findMessage } from '#ui/i18n/messages.ts'

/** A table has the name of its page in the menu, unless it has a label of its own. */
export function getTableLabel(table: string): string {
  const menuName = table.replace(/_\w/g, (match) => match.slice(1).toUpperCase())
  return findMessage('device', `table.${table}`) ?? findMessage('shell', `menu.${menuName}`) ?? table
}
