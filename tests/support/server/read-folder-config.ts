/** Reads the configuration of a stopped server, with its key from its settings or its folder. */
import { type Config, readConfig } from '#server/config/config.ts'
import { readTokenKeyFile } from '#server/db/accounts/token-key.ts'

export async function readFolderConfig(env: Record<string, string>): Promise<Config> {
  const config = readConfig({ TOKEN_KEY: '00'.repeat(32), ...env })
  return env['TOKEN_KEY'] ? config : { ...config, tokenKey: await readTokenKeyFile(config) }
}
