"""Account: tokens, users and the user's own password."""

import httpx
import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.fabric]


def whoami(running, token):
    return httpx.get(
        f"{running.base}/api/v1/me/", headers={"Authorization": f"Bearer {token}"}, trust_env=False
    )


def test_a_token_is_made_used_and_revoked_by_keyboard_alone(visit, running):
    with visit("/account", user="otto") as watched:
        page, keys = watched.page, watched.page.keyboard
        page.locator("#main").focus()

        def tab_to(name, role="button"):
            target = page.get_by_role(role, name=name, exact=True).first
            expect(target).to_be_visible()
            for _ in range(60):
                if target.evaluate("one => one === document.activeElement"):
                    return
                keys.press("Tab")
            raise AssertionError(f"Tab does not lead to {name}")

        tab_to("Create token…")
        keys.press("Enter")
        dialog = page.get_by_role("dialog", name="Create token")
        expect(dialog.get_by_label("Name")).to_be_focused()
        watched.accessible()
        keys.type("keyboard's own")
        tab_to("write", role="checkbox")
        keys.press("Space")
        keys.press("Enter")
        shown = page.locator("[data-token]")
        token = shown.text_content()
        watched.accessible()
        assert whoami(running, token).json()["scopes"] == ["read", "write"]
        keys.press("Escape")
        expect(shown).to_have_count(0)
        assert token not in page.content()

        tab_to("Revoke keyboard's own")
        keys.press("Enter")
        expect(page.get_by_role("dialog")).to_contain_text("Last use of the token")
        tab_to("Revoke the token")
        keys.press("Enter")
        row = page.locator('table[aria-label="Tokens"] tr', has_text="keyboard's own")
        expect(row).to_contain_text("revoked")
        assert whoami(running, token).status_code == 401


def test_a_client_token_is_for_one_publisher_alone(visit, running):
    publisher = running.call("GET", "publishers/?limit=1").json()["results"][0]["name"]
    with visit("/account", size="phone", scheme="dark") as watched:
        page = watched.page
        page.get_by_role("button", name="Create token…").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Name").fill("client")
        dialog.get_by_text("Only one publisher").click()
        dialog.get_by_role("combobox", name="Publisher").fill(publisher)
        page.get_by_role("option", name=publisher, exact=True).click()
        watched.accessible()
        dialog.get_by_role("button", name="Create token").click()
        token = page.locator("[data-token]").text_content()
        client = whoami(running, token).json()["client"]
        assert (client["kind"], client["name"]) == ("publisher", publisher)
        watched.screenshot("account-token-phone", full=False)
        page.get_by_role("button", name="Done").click()
        page.get_by_role("button", name="Revoke client").first.click()
        page.get_by_role("dialog").get_by_role("button", name="Revoke the token").click()
        expect(page.get_by_role("button", name="Revoke client")).to_have_count(0)


def test_administrators_add_users_who_change_their_own_password(visit, running):
    first, second = "purple monkey dishwasher", "another correct horse"
    with visit("/account") as watched:
        page = watched.page
        page.get_by_role("button", name="Add a user…").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("User name").fill("paula")
        dialog.get_by_label("Password", exact=True).fill("123")
        watched.allow("400")
        dialog.get_by_role("button", name="Add the user").click()
        expect(dialog.get_by_role("alert").first).to_be_visible()
        expect(dialog.get_by_label("User name")).to_have_value("paula")
        watched.accessible()
        dialog.get_by_label("Password", exact=True).fill(first)
        dialog.get_by_role("button", name="Add the user").click()
        row = page.locator('table[aria-label="Users"] tr', has_text="paula")
        expect(row).to_contain_text("viewer")
    running.passwords["paula"] = first
    with visit("/account", user="paula") as watched:
        page = watched.page
        expect(page.get_by_role("region", name="Users")).to_have_count(0)
        page.get_by_label("Current password").fill("wrong")
        page.get_by_label("New password", exact=True).fill(second)
        page.get_by_label("Repeat the new password").fill(second)
        watched.allow("400")
        page.get_by_role("button", name="Change the password").click()
        expect(page.get_by_text("This is not your present password.").first).to_be_visible()
        expect(page.get_by_label("New password", exact=True)).to_have_value(second)
        page.get_by_label("Current password").fill(first)
        page.get_by_role("button", name="Change the password").click()
        expect(page.get_by_text("Your password is changed.")).to_be_visible()
    running.passwords["paula"] = second
    with visit("/account") as watched:
        page = watched.page
        page.locator('table[aria-label="Users"] tr', has_text="paula").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("switch", name="Active").click()
        dialog.get_by_role("button", name="Save").click()
        row = page.locator('table[aria-label="Users"] tr', has_text="paula")
        expect(row).to_contain_text("disabled")
