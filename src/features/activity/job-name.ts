import { findMessage } from '#ui/i18n/messages.ts'

/** Returns the displayed name of a long request by its endpoint. Needs the messages of `activity`. */
export const getJobName = (endpoint: string): string =>
  findMessage('activity', `name.${endpoint}`) ?? findMessage('activity', 'name.other') ?? ''
