#!/bin/sh
# Creates the keys and passwords that compose.yaml reads, in the folder `secrets`. Existing files stay as they are, so it can run again.
#
#   deploy/create-secrets.sh SMTP_URL [FOLDER]
#
# SMTP_URL is the mail server, like smtp://login:password@mail.example.com:587.
#
# Containers get the files as they are, and their users differ. So the files can be read by everybody, and only you can enter the folder.
# Back up the folder in another place than the database: without token_key, audit_key and backup_key a backup is of little use.
set -eu
umask 077

smtp_url=${1:-}
case $smtp_url in
smtp://?* | smtps://?*) ;;
*)
  echo 'Usage: deploy/create-secrets.sh smtp://login:password@mail.example.com:587 [folder]' >&2
  exit 1
  ;;
esac
folder=${2:-$(dirname "$0")/../secrets}

mkdir -p "$folder"
chmod 700 "$folder"

# Writes the standard input to a file, unless it exists. The file appears with its complete content.
create() {
  if [ -e "$folder/$1" ]; then
    cat > /dev/null
  else
    cat > "$folder/.$1.part"
    chmod 444 "$folder/.$1.part"
    mv "$folder/.$1.part" "$folder/$1"
    echo "created $folder/$1"
  fi
}

# Prints 64 hexadecimal digits, which are 32 random bytes.
random() {
  od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n'
}

for name in token_key audit_key backup_key postgres_password portal_owner_password portal_login_password \
  portal_copies_password s3_secret_key; do
  random | create "$name"
done
random | cut -c1-20 | create s3_access_key
printf 'postgres://portal_login:%s@postgres:5432/portal' "$(cat "$folder/portal_login_password")" | create database_url
printf 'postgres://portal_owner:%s@postgres:5432/portal' "$(cat "$folder/portal_owner_password")" | create migrate_database_url
printf 'postgres://portal_copies:%s@postgres:5432/portal_copies' "$(cat "$folder/portal_copies_password")" |
  create backup_database_url
printf '%s' "$smtp_url" | create smtp_url
