/**
 * Messages of backups, loaded with their code: only devices of users who order and of the provider's staff store them. Messages of services
 * are added too, because backups show operations of a service.
 */
import en from '#locales/en/backups.json'
import services from '#locales/en/services.json'
import zh from '#locales/zh/backups.json'
import zhServices from '#locales/zh/services.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('backups', { en, zh })
addMessages('services', { en: services, zh: zhServices })
