//! Chat of two clients of the crate `zulip-api`, which also tests the crate's other calls.
//!
//! Usage: rust-zulip-api ZULIPRC_1 ZULIPRC_2 [SECONDS]
//!
//! Exit code 0: every message was received and every response was as expected; 1 otherwise. The crate has no calls for
//! subscribing and polling; those are plain requests with its address and credentials.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use serde_json::{json, Value};
use zulip_api::client::Client;
use zulip_api::filter::{Anchor, Narrow, Operand, Operator};
use zulip_api::message::{Flag, MessageTo, MessageType, Operation};
use zulip_api::response::{ApiResult, Response};
use zulip_api::{
    delete_message, edit_message, emoji_reaction, get_file_temporary_url, get_message,
    get_message_history, get_messages, get_read_receipts, mark_stream_as_read, mark_topic_as_read,
    matches_narrow, register, render, send_message, update_message_flags,
    update_message_flags_narrow, upload_file,
};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

const CHANNEL: &str = "rust clients";
const TOPIC: &str = "rust";

fn same<T: PartialEq + Debug>(what: &str, found: T, expected: T) -> Outcome {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}: found {found:?}, expected {expected:?}").into())
}

fn ok<R: Response>(what: &str, answer: R) -> Outcome<R> {
    match answer.result() {
        ApiResult::Success => Ok(answer),
        _ => Err(format!("{what}: refused: {}", answer.msg()).into()),
    }
}

/// Client of the crate, with plain requests as the same user.
struct Person {
    client: Client,
    http: reqwest::Client,
}

impl Person {
    fn new(zuliprc: &str) -> Outcome<Self> {
        let http = reqwest::Client::builder()
            .user_agent(Client::user_agent())
            .build()?;
        Ok(Self {
            client: Client::from_zuliprc(zuliprc)?,
            http,
        })
    }

    async fn plain(
        &self,
        method: reqwest::Method,
        path: &str,
        form: &[(&str, String)],
    ) -> Outcome<Value> {
        let url = format!("{}/api/v1{path}", self.client.base_url());
        let request = self
            .http
            .request(method.clone(), url)
            .header("Authorization", self.client.auth_header());
        let request = if method == reqwest::Method::GET {
            request.query(form)
        } else {
            request.form(form)
        };
        let answer: Value = request.send().await?.json().await?;
        match answer["result"].as_str() {
            Some("success") => Ok(answer),
            _ => Err(format!("{path}: refused: {answer}").into()),
        }
    }

    /// Sends a message to the channel through the crate.
    async fn say(&self, content: &str) -> Outcome<u64> {
        let request = send_message::Request::new()
            .with_msg_type(MessageType::Channel)
            .with_to(MessageTo::channel_name(CHANNEL))
            .with_topic(TOPIC)
            .with_content(content);
        let id = ok("send", self.client.send_message(&request).await?)?.id();
        Ok(id.ok_or("the message has no id")?)
    }

    async fn look(&self, message_id: u64) -> Outcome<zulip_api::Message> {
        let request = get_message::Request::new()
            .with_message_id(message_id)
            .with_allow_empty_topic_name(true);
        let answer = ok("get message", self.client.get_message(&request).await?)?;
        Ok(answer.message().ok_or("the answer has no message")?.clone())
    }
}

/// Polls until the queue has delivered all these messages.
async fn receive(
    person: &Person,
    queue_id: &str,
    mut last: i64,
    wanted: &[u64],
    until: Instant,
) -> Outcome<Vec<Value>> {
    let mut events: Vec<Value> = Vec::new();
    let mut missing: Vec<u64> = wanted.to_vec();
    while !missing.is_empty() {
        if Instant::now() > until {
            return Err(format!("messages {missing:?} did not come").into());
        }
        let poll = [
            ("queue_id", queue_id.to_string()),
            ("last_event_id", last.to_string()),
        ];
        let answer = person.plain(reqwest::Method::GET, "/events", &poll).await?;
        for event in answer["events"].as_array().ok_or("no events")? {
            last = event["id"].as_i64().ok_or("no id")?;
            missing.retain(|id| event["message"]["id"].as_u64() != Some(*id));
            events.push(event.clone());
        }
    }
    Ok(events)
}

async fn talk(owner: &Person, other: &Person, until: Instant) -> Outcome {
    let me = owner.plain(reqwest::Method::GET, "/users/me", &[]).await?["user_id"]
        .as_u64()
        .ok_or("no id")?;
    let you = other.plain(reqwest::Method::GET, "/users/me", &[]).await?["user_id"]
        .as_u64()
        .ok_or("no id")?;
    let form = [
        ("subscriptions", json!([{ "name": CHANNEL }]).to_string()),
        ("principals", json!([me, you]).to_string()),
    ];
    owner
        .plain(reqwest::Method::POST, "/users/me/subscriptions", &form)
        .await?;
    let form = [("stream", CHANNEL.to_string())];
    let stream_id = owner
        .plain(reqwest::Method::GET, "/get_stream_id", &form)
        .await?["stream_id"]
        .as_u64()
        .unwrap_or(0);

    // The initial state must parse into the types of the crate.
    let state = ok(
        "register",
        other.client.register(&register::Request::new()).await?,
    )?;
    same("level", state.zulip_feature_level(), Some(371))?;
    let queue_id = state.queue_id().ok_or("no queue")?.to_string();
    let last = state.last_event_id().ok_or("no last event")?;
    println!(
        "registered at level {}",
        state.zulip_feature_level().unwrap_or(0)
    );

    let first = owner.say("**hello** channel").await?;
    let second = other.say("hello back").await?;
    let events = receive(other, &queue_id, last, &[first, second], until).await?;
    let said: Vec<_> = events
        .iter()
        .filter_map(|event| event["message"]["content"].as_str())
        .collect();
    same("received", said, vec!["**hello** channel", "hello back"])?;
    println!("received");

    let window = get_messages::Request::new()
        .with_anchor(Anchor::Newest)
        .with_num_before(2)
        .with_num_after(0)
        .with_apply_markdown(false)
        .with_allow_empty_topic_name(true);
    let found = ok("get messages", other.client.get_messages(&window).await?)?;
    let texts: Vec<_> = found
        .messages()
        .iter()
        .map(|of| (of.id(), of.content().to_string()))
        .collect();
    same(
        "messages",
        texts,
        vec![
            (first, "**hello** channel".to_string()),
            (second, "hello back".to_string()),
        ],
    )?;

    let reaction = emoji_reaction::Request::new()
        .with_message_id(first)
        .with_emoji_name("tada");
    ok("react", other.client.add_reaction(&reaction).await?)?;
    let reactions: Vec<_> = owner
        .look(first)
        .await?
        .reactions()
        .iter()
        .map(|of| of.emoji_name().to_string())
        .collect();
    same("reactions", reactions, vec!["tada".to_string()])?;
    ok("take back", other.client.remove_reaction(&reaction).await?)?;
    same(
        "no reactions",
        owner.look(first).await?.reactions().len(),
        0,
    )?;
    println!("reacted");

    let path = std::env::temp_dir().join(format!("rust-zulip-api-{}.txt", std::process::id()));
    std::fs::write(&path, "some notes")?;
    let name = path
        .file_name()
        .and_then(|of| of.to_str())
        .ok_or("no name")?
        .to_string();
    let uploaded = owner
        .client
        .upload_file(&upload_file::Request::new().with_file_path(path.to_string_lossy()))
        .await;
    std::fs::remove_file(&path)?;
    let uploaded = uploaded?;
    same("file name", uploaded.filename(), Some(name.as_str()))?;
    let url = uploaded.url().ok_or("the file has no url")?.to_string();
    same(
        "file",
        owner.client.load_page(&url[1..]).await?,
        "some notes".to_string(),
    )?;
    let shared = owner.say(&format!("see [notes]({url})")).await?;
    same(
        "link",
        other.look(shared).await?.content().contains(&url),
        true,
    )?;
    let request = get_file_temporary_url::Request::new()
        .with_realm_id(uploaded.realm_id()?)
        .with_filename(url.splitn(4, '/').nth(3).unwrap_or(""));
    let temporary = ok(
        "temporary url",
        owner.client.get_file_temporary_url(&request).await?,
    )?;
    let temporary = format!(
        "{}{}",
        owner.client.base_url(),
        temporary.url().ok_or("no temporary url")?
    );
    same(
        "temporary",
        owner.http.get(temporary).send().await?.text().await?,
        "some notes".to_string(),
    )?;
    println!("uploaded");

    let edit = edit_message::Request::new()
        .with_message_id(first)
        .with_content("changed");
    ok("edit", owner.client.edit_message(&edit).await?)?;
    let history = get_message_history::Request::new().with_message_id(first);
    let history = ok("history", other.client.get_message_history(&history).await?)?;
    same(
        "versions",
        history.message_history().map(|list| list.len()),
        Some(2),
    )?;
    let narrow = [Narrow::create(Operator::Channel, Operand::text(CHANNEL))];
    let matching = matches_narrow::Request::new()
        .with_msg_ids([first].as_ref())
        .with_narrow(narrow.as_ref());
    let matching = ok("matches", other.client.matches_narrow(&matching).await?)?;
    same("matches", matching.messages().map(|of| of.len()), Some(1))?;
    let rendered = ok(
        "render",
        owner
            .client
            .render(&render::Request::new().with_content("*it*"))
            .await?,
    )?;
    same("rendered", rendered.rendered(), Some("<p><em>it</em></p>"))?;
    println!("edited");

    let star = update_message_flags::Request::new()
        .with_messages([first].as_ref())
        .with_op(Operation::Add)
        .with_flag(Flag::Starred);
    let starred = ok("star", other.client.update_message_flags(&star).await?)?;
    same("starred", starred.messages(), Some([first].as_ref()))?;
    let unread = update_message_flags_narrow::Request::new()
        .with_anchor(Anchor::MessageId(first))
        .with_include_anchor(true)
        .with_num_before(0)
        .with_num_after(0)
        .with_narrow(
            [Narrow::create(
                Operator::Channel,
                Operand::Integer(stream_id),
            )]
            .as_ref(),
        )
        .with_op(Operation::Add)
        .with_flag(Flag::Read);
    let read = ok(
        "read",
        other.client.update_message_flags_narrow(&unread).await?,
    )?;
    same(
        "read",
        (read.processed_count(), read.updated_count()),
        (Some(1), Some(1)),
    )?;
    let receipts = get_read_receipts::Request::new().with_message_id(first);
    let receipts = ok("receipts", owner.client.get_read_receipts(&receipts).await?)?;
    same("readers", receipts.user_ids(), Some([you].as_ref()))?;
    let topic = mark_topic_as_read::Request::new()
        .with_stream_id(stream_id)
        .with_topic_name(TOPIC);
    ok(
        "topic as read",
        other.client.mark_topic_as_read(&topic).await?,
    )?;
    let stream = mark_stream_as_read::Request::new().with_stream_id(stream_id);
    ok(
        "channel as read",
        other.client.mark_stream_as_read(&stream).await?,
    )?;
    ok("all as read", other.client.mark_all_as_read().await?)?;
    same(
        "flags",
        other.look(shared).await?.flags().to_vec(),
        vec![Flag::Read],
    )?;
    println!("read");

    ok(
        "delete",
        owner
            .client
            .delete_message(&delete_message::Request::new().with_message_id(shared))
            .await?,
    )?;
    same("deleted", other.look(shared).await.is_err(), true)
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let seconds = args.get(2).and_then(|text| text.parse().ok()).unwrap_or(25);
    let until = Instant::now() + Duration::from_secs(seconds);
    let outcome = match (Person::new(&args[0]), Person::new(&args[1])) {
        (Ok(owner), Ok(other)) => talk(&owner, &other, until).await,
        (Err(error), _) | (_, Err(error)) => Err(error),
    };
    match outcome {
        Ok(()) => println!("complete"),
        Err(error) => {
            println!("incomplete: {error}");
            std::process::exit(1);
        }
    }
}
